package server

import (
	"testing"

	"helve/engine/schema"
	"helve/server/internal/toolsearch"
	"helve/tool"
)

func TestAToolIsFoundByTheValuesThatItsParametersTake(t *testing.T) {
	kinds, err := schema.Parse([]byte(`{"type":"object","properties":{"kind":{"enum":["elephant","zebra",7,null]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	specs := []*tool.Spec{{Name: "plants", Doc: tool.Doc{Short: "Draws a plant."}}, {Name: "animals", Doc: tool.Doc{Short: "Draws one."}, Input: kinds}}
	var docs []toolsearch.Doc
	for _, s := range specs {
		docs = append(docs, searchDoc(s))
	}
	if hits := toolsearch.New(docs).Search("a zebra", 1, nil); len(hits) != 1 || hits[0].Doc != 1 {
		t.Errorf("%+v in %+v", hits, docs)
	}
}
