package html_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"

	"helve/builtin/internal/html"
)

func TestAPageNamesItsEncodingAsItDoesToTheLibrary(t *testing.T) {
	for _, page := range []string{
		"",
		"<p>nothing said",
		`<meta charset=koi8-r>`,
		`<meta charset="Shift_JIS" /><meta charset=gbk>`,
		`<html><head><meta name=x content="charset=gbk"><META CHARSET='ISO-8859-2'>`,
		`<meta http-equiv="Content-Type" content="text/html; charset=euc-kr">`,
		`<meta content="text/html;charset = 'big5';x" http-equiv=content-type>`,
		`<meta content="text/html; charset=windows-1251; version=1" http-equiv="CONTENT-TYPE">`,
		`<meta http-equiv=refresh content="0; charset=gbk">`,
		`<meta charset=utf-16>`,
		"<!-- <meta charset=gbk> --><title>x</title>",
		"<script>'<meta charset=gbk>'</script>",
		strings.Repeat(" ", 1100) + "<meta charset=gbk>",
	} {
		_, want, _ := charset.DetermineEncoding([]byte(page+"\xff"), "")
		label := html.Charset([]byte(page))
		_, got := charset.Lookup(label)
		if label == "" {
			got = "windows-1252" // what the library takes then
		}
		if got != want {
			t.Errorf("%q: %q (%s), want %s", page, label, got, want)
		}
	}
}
