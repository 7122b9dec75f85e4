// Package recipes follows the recipes of CONTRIBUTING. It has tests only.
package recipes
