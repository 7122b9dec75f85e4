package app

import (
	"helve/server"
	"helve/source/mcp"
)

// An MCP server is an upstream as package server wants one.
var _ server.Upstream = (*mcp.Source)(nil)
