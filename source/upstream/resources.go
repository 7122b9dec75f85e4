package upstream

import (
	"context"
	"encoding/json"

	"helve/internal/rpc"
	"helve/tool"
)

// List reads all pages of a list: resources/list, resources/templates/list,
// prompts/list, skills/list. The items are as they came. Files of skills that
// are read later must be what was listed of them.
func (s *Source) List(
	ctx context.Context,
	session *tool.Session,
	method, member string,
) (items []json.RawMessage, err error) {
	err = s.calls.with(ctx, session, func(c *conn) error {
		if method == rpc.MethodSkills && !c.about.can(extensionsKey, rpc.ExtensionSkills) {
			return rpc.Errorf(rpc.CodeMethodNotFound, "the server has no skills")
		}
		ctx, stop := context.WithTimeout(ctx, s.cfg.Timeout)
		defer stop()
		p, err := c.all(ctx, method, member)
		if err != nil {
			return err
		}
		if p.note != "" {
			s.warn(p.note)
		}
		items = p.items
		return nil
	})
	if method == rpc.MethodSkills {
		s.lists.view(session).skills.note(items)
	}
	return items, err
}

// Links are the server's resources as links, over all pages. Nothing is read.
func (s *Source) Links(ctx context.Context, session *tool.Session) ([]tool.Link, error) {
	items, err := s.List(ctx, session, "resources/list", "resources")
	if err != nil {
		return nil, err
	}
	out := make([]tool.Link, 0, len(items))
	for _, it := range items {
		var in struct {
			URI, Name, Title, Description string
			MIME                          string `json:"mimeType"`
			Size                          int64
		}
		if json.Unmarshal(it, &in) == nil && in.URI != "" {
			out = append(out, tool.Link{
				URI:         in.URI,
				Name:        in.Name,
				Title:       in.Title,
				Description: in.Description,
				MIME:        in.MIME,
				Size:        in.Size,
			})
		}
	}
	return out, nil
}
