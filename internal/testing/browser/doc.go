// Package browser tries the console in Chromium. It is a module of its own, so that helve's has nothing of a browser's
// protocol; its tests skip where there is no Chromium.
package browser
