int main(int argc, char *argv[]){
int i;
hrt_kenaf_init();
for(i=0;i<4;i++) {
hrt_show_status();
hrt_go_forward(100.0); // move 100.0 mm
hrt_turning(90.0);
// turn 90.0 deg.
}
hrt_stop();
return (0);
}
