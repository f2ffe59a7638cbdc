from grouser.service.console import Console as Console
from grouser.service.host import Host as Host
from grouser.service.participant import Participant as Participant
