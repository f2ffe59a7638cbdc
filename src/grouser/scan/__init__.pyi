from grouser.scan.cloud_files import read_cloud as read_cloud
from grouser.scan.cloud_files import shipped_frames as shipped_frames
from grouser.scan.ground.scan_world import WorldOptions as WorldOptions
from grouser.scan.ground.world_folder import scan_to_world as scan_to_world
from grouser.scan.pipeline import ScanOptions as ScanOptions
