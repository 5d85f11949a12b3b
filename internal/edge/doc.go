//go:build !js

// Package edge is the door between browsers and hop 2: it decides who may come
// in, before anything else is done.
//
// In: requests as browsers send them. Out: requests whose Host and Origin are
// ours and whose cookie proves that the address with the launch token was
// opened in that browser; everything else is answered here.
package edge
