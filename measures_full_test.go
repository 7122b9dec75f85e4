package helve_test

// full is what is over its bound, each with its figure. A figure may only fall, and what falls is written down here in the
// same change; nothing new comes in.
var full = []string{}
