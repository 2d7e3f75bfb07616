const http = require('node:http');

// Node compiles a test file in one go. Where that takes longer than a server keeps an idle connection open (5 s), the
// next request would go out on a closed one, and end in "socket hang up".
http.globalAgent = new http.Agent();
