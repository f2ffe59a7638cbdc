"""The online simulation of Kurose et al.: the real robot's program drives the simulated one."""
