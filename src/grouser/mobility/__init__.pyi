from grouser.mobility.ways import drive_ways as drive_ways
from grouser.mobility.ways import ways_between_starts as ways_between_starts
