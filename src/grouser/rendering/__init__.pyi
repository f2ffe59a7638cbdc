from grouser.rendering.image import write_png as write_png
