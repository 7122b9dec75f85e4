// Loads the page. Where helve ends, or starts again, while a browser fetches the page's files, some of them do not
// come: then the page is loaded anew, until all are there.

const pause = 1500 // ms

import('./main.js').catch(() => setTimeout(() => location.reload(), pause))
