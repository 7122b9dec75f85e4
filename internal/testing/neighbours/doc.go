// Package neighbours tries what stands beside each other in one workspace: helves of several kinds, gateways on a bus,
// servers that are well, slow, mute, dead and flapping, a person and git. It deals blows by a seed, and after each one
// asks what must hold all the same. It is a test; scripts/neighbours runs it for as long as one likes.
package neighbours
