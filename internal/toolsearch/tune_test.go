package toolsearch

import (
	"reflect"
	"testing"
	"unsafe"
)

func TestTune(t *testing.T) {
	d1, i1 := corpus(t)
	d2, i2 := readTools(t, "testdata/unseen")
	g := questions(t)
	var u []question
	for _, q := range readQuestions(t, "testdata/unseen.tsv") {
		if tuned(q.text) {
			u = append(u, q)
		}
	}
	// a third corpus: everything together
	d3 := append(append([]Doc{}, d1...), d2...)
	i3 := append(append([]string{}, i1...), i2...)
	eval := func() (float64, float64, float64) {
		one := func(docs []Doc, ids []string, qs ...[]question) (float64, float64) {
			x := New(docs)
			sc, h5, n := 0.0, 0.0, 0.0
			for _, list := range qs {
				for _, q := range list {
					n++
					for r, h := range x.Search(q.text, 10, nil) {
						if q.want[ids[h.Doc]] {
							if r < 5 {
								h5++
								sc += 1 + 0.3/float64(r+1)
							} else {
								sc += 0.3
							}
							break
						}
					}
				}
			}
			return sc / n, h5 / n
		}
		a, ah := one(d1, i1, g)
		b, bh := one(d2, i2, u)
		c, _ := one(d3, i3, u, g)
		return a + 2*b + c, ah, bh
	}
	try := map[string][]float64{"second": {0.15, 0.22}, "whole":{0,0.4}, "same": {0.5, 0.7}, "further":{0.6}, "kind": {0.1, 0.25}, "cover": {0.6,0.85},"theme":{0.5,1.5}, "weak":{0.3,0.7},"phrase":{0.65,1},"inPhrase":{0.3,0.7},"params":{0.2,0.45},"name":{4,6}}
	v := reflect.ValueOf(&par).Elem()
	best, ah, bh := eval()
	t.Logf("start %.4f %.3f %.3f", best, ah, bh)
	for f := range v.NumField() {
		p := (*float64)(unsafe.Pointer(v.Field(f).UnsafeAddr()))
		old := *p
		for _, m := range try[v.Type().Field(f).Name] {
			*p = m
			s, x, y := eval()
			t.Logf("%s %.2f: %.4f %.3f %.3f", v.Type().Field(f).Name, m, s, x, y)
		}
		*p = old
	}
}
