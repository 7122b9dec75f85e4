// Package config reads helve's configuration: files and flags in layers, each value with the place
// that set it.
//
// Layers, highest first: flags, a program's own, project (.helve/config.local.*, .helve/config.*,
// .mcp-codebase-index.toml, .mcp.json), user, default. The managed layer (/etc/helve) and the
// project of a workspace that is not trusted may only tighten: what they loosen or would run is
// left out and reported. [Load] gives the layers, for a policy that judges them one by one, and the
// merged values, for everything else.
//
// Files are JSON with comments, or TOML, with the same keys. Nothing here reads the real
// environment: the folders come in as an [Environment].
package config
