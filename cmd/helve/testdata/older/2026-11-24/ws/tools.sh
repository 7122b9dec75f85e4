if [ $# = 0 ]; then echo '[{"name":"probe","parameters":{"type":"object"}}]'; else echo probed; fi
