from grouser.reports.film_strip import picture_strip as picture_strip
