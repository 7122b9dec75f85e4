package text_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"helve/builtin/internal/text"
)

const (
	chinese  = "// 计算两个数的和\nfunc add(a, b int) int { return a + b } // 返回结果，错误时为零\n"
	taiwan   = "// 計算兩個數的總和，並傳回結果\nfunc add(a, b int) int { return a + b } // 錯誤時為零\n"
	nihongo  = "// 二つの数の合計を計算します。\nfunc add(a, b int) int { return a + b } // エラーの場合はゼロ\n"
	hangul   = "// 두 수의 합을 계산합니다\nfunc add(a, b int) int { return a + b } // 오류가 나면 0을 돌려준다\n"
	french   = "// Calcule la somme de deux entiers naturels, même très élevés — c’est-à-dire « longs »\n"
	german   = "Größe: für Äpfel über 5 € übermäßig schön\n"
	russian  = "// Вычисляет сумму двух чисел\nfunc add(a, b int) int { return a + b } // Ноль при ошибке\n"
	cafe     = "the café is open\n"
	japanese = "設定ファイルを読み込みます\n"
	polish   = "# Zażółć gęślą jaźń: ścieżka do pliku\nnazwa = \"świeży\"\n"
	czech    = "# Příliš žluťoučký kůň úpěl ďábelské ódy\nname = \"starý\"\n"
	magyar   = "# Árvíztűrő tükörfúrógép\nnév = \"régi\"\n"
	croatian = "# Čuvaj datoteku u mapu đačkih šala\n"
	turkce   = "# Bu bir Türkçe deneme dosyasıdır: çığ, söğüt, şiş\n"
	greek    = "# Αυτό είναι ένα ελληνικό αρχείο δοκιμής\nname = παλιό\n"
	hebrew   = "# זהו קובץ בדיקה בעברית\nname = ישן\n"
	arabic   = "# هذا ملف اختبار باللغة العربية\nname = قديم\n"
	thai     = "# นี่คือไฟล์ทดสอบภาษาไทย\nname = เก่า\n"
	names    = "José García, Jürgen Müller, Øystein Ångström, François Lefèvre\n"
)

func TestDetectNamesTheEncodingAndNothingIsLost(t *testing.T) {
	for _, c := range []struct {
		encoding text.Encoding
		content  string
	}{
		{text.UTF8, "plain ASCII\n"}, {text.UTF8, ""}, {text.UTF8, chinese}, {text.UTF8, cafe}, {text.UTF8, russian},
		{text.UTF8Mark, "package x\n"}, {text.UTF8Mark, ""},
		{text.UTF16LEMark, chinese}, {text.UTF16BEMark, french}, {text.UTF16LE, french}, {text.UTF16BE, "hello\r\nworld\r\n"},
		{text.UTF32LEMark, chinese}, {text.UTF32BEMark, chinese},
		{text.GBK, chinese}, {text.GBK, "中文\n"}, {text.GBK, strings.Repeat("x", 10) + "\n" + chinese},
		{text.Big5, taiwan}, {text.ShiftJIS, nihongo}, {text.EUCJP, nihongo}, {text.EUCKR, hangul}, {text.ISO2022JP, nihongo},
		{text.ShiftJIS, japanese}, {text.EUCJP, japanese},
		{text.Windows1252, french}, {text.Windows1252, german}, {text.Western, cafe}, {text.Western, "à la carte"}, {text.Western, names},
		{text.Western, "perché è più città\n"}, {text.Western, "ação e opções\n"}, {text.Western, "blåbærsyltetøy på brød\n"}, {text.Western, "año niño\n"},
		{text.Western, "Ísland: þetta er íslenska, með ð og æ\n"}, {text.Windows1252, "smart – quotes “here”\n"},
		{text.Windows1251, russian}, {text.KOI8R, russian}, {text.IBM866, russian}, {text.ISO88595, russian},
		{text.Windows1251, "имя = старый\n"}, {text.KOI8R, "имя = старый\n"}, {text.Windows1251, "ПРИВЕТ, МИР\n"}, {text.KOI8R, "ПРИВЕТ, МИР\n"},
		{text.ISO88592, polish}, {text.Windows1250, polish}, {text.ISO88592, czech}, {text.Windows1250, czech}, {text.ISO88592, magyar},
		{text.Windows1250, croatian}, {text.Windows1254, turkce}, {text.Windows1254, "Bu bir Türkçe dosyadır. Çığ, şöğüt, İstanbul\n"}, {text.Windows1251, "x-координата и URL-адрес (API)\n"}, {text.Windows1253, greek}, {text.Windows1255, hebrew}, {text.Windows1256, arabic},
		{text.Windows874, thai},
		{text.UTF16LE, chinese}, {text.UTF16BE, chinese}, {text.UTF16LE, russian}, {text.UTF16BE, russian}, {text.UTF16LE, nihongo}, {text.UTF16BE, hangul},
		{text.UTF16LE, greek}, {text.UTF16BE, arabic},
	} {
		b, err := c.encoding.Encode([]byte(c.content))
		if err != nil {
			t.Fatal(c.encoding.Name(), err)
		}
		got, err := text.Detect(b)
		if err != nil || got.Name() != c.encoding.Name() {
			t.Errorf("Detect(%q in %s) = %s, %v", c.content, c.encoding.Name(), got.Name(), err)
			continue
		}
		s, err := got.Decode(b)
		if err != nil || string(s) != c.content {
			t.Errorf("%s: decoded %q, %v", got.Name(), s, err)
		}
	}
}

func TestBinaryFilesAreNotText(t *testing.T) {
	for name, b := range map[string][]byte{
		"NUL":      []byte("text\x00text"),
		"controls": []byte("\x01\x02\x03\x04abc\x05\x06\x0e\x0f"),
		"zeros":    make([]byte, 1000),
		"short":    []byte("a\x00b\n"),
		"samples":  []byte("\x00\x4e\x12\x51\x40\x60\x00\x4f\x77\x55\x21\x53\x00\x52\x10\x61\x32\x58\x99\x65\x00\x70\x23\x5a\x45\x6b\x11\x5c"),
		"PNG":      []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x02\x00"),
	} {
		if e, err := text.Detect(b); !errors.Is(err, text.ErrBinary) {
			t.Errorf("%s: %s, %v", name, e.Name(), err)
		}
	}
	if e, err := text.Detect([]byte("\x1b]52;c;ZXZpbA==\a\x1b[2J")); err != nil || e.Name() != "UTF-8" { // file-input-011
		t.Errorf("terminal escapes: %s, %v", e.Name(), err)
	}
}

func TestProgramsAreBinary(t *testing.T) { // file-input-008
	path, err := exec.LookPath("true")
	if err != nil {
		t.Skip("no program to look at: ", err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Skip(err)
	}
	sample, err := text.Sample(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	if e, err := text.Detect(sample); !errors.Is(err, text.ErrBinary) {
		t.Errorf("%s is %s, %v", path, e.Name(), err)
	}
}

func TestDecodeRefusesWhatWouldNotComeBackTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		encoding text.Encoding
		bytes    string
	}{
		"half a unit":       {text.UTF16LEMark, "\xff\xfe\xc0"}, // file-input-010
		"lone surrogate":    {text.UTF16LEMark, "\xff\xfe\x00\xd8a\x00"},
		"a broken GBK pair": {text.GB18030, "\xd6\xd0\xce\n"},
		"an odd JIS form":   {text.ShiftJIS, "\xee\xf9"}, // decodes as \x81\xca does
		"no mark":           {text.UTF8Mark, "x"},
		"an unused byte":    {text.Windows1252, "a\x81b"},
	} {
		if s, err := c.encoding.Decode([]byte(c.bytes)); !errors.Is(err, text.ErrInexact) {
			t.Errorf("%s: %q, %v", name, s, err)
		}
	}
}

func TestEncodeNamesTheCharacterThatIsMissing(t *testing.T) {
	_, err := text.Windows1252.Encode([]byte("a\nb\n中"))
	var e *text.UnencodableError
	if !errors.As(err, &e) || e.Rune != '中' || e.Line != 3 {
		t.Errorf("got %v", err)
	}
	if _, err := text.GB18030.Encode([]byte("\xff")); err == nil {
		t.Error("invalid UTF-8 was encoded")
	}
}

func TestAFewBrokenBytesLeaveUTF8(t *testing.T) {
	b := []byte(chinese + "\xff\n" + chinese)
	e, err := text.Detect(b)
	if err != nil || !e.Plain() {
		t.Fatalf("%s, %v", e.Name(), err)
	}
	if s, err := e.Decode(b); err != nil || !bytes.Equal(s, b) {
		t.Errorf("the bytes changed: %v", err)
	}
	if got := e.Show([]byte("a\xffb")); got != "a\ufffdb" {
		t.Errorf("shown as %q", got)
	}
}

func TestASampleOfALargeFileFindsItsEncoding(t *testing.T) {
	ascii := strings.Repeat("only ASCII here, as licences are\n", 10_000)
	b, err := text.GB18030.Encode([]byte(ascii + strings.Repeat(chinese, 5000) + ascii))
	if err != nil {
		t.Fatal(err)
	}
	sample, err := text.Sample(bytes.NewReader(b), int64(len(b)))
	if err != nil || len(sample) > 200<<10 {
		t.Fatalf("%d bytes, %v", len(sample), err)
	}
	if e, err := text.Detect(sample); err != nil || e.Name() != "GBK" {
		t.Errorf("%s, %v", e.Name(), err)
	}
	long, err := text.ShiftJIS.Encode([]byte("x = '" + strings.Repeat(japanese[:len(japanese)-1]+" ", 100_000) + "'"))
	if err != nil {
		t.Fatal(err)
	}
	if e, err := text.Detect(long); err != nil || e.Name() != "Shift_JIS" {
		t.Errorf("one long line: %s, %v", e.Name(), err)
	}
}

// A euro sign has three different bytes in what a file of é and ü may be: none of them is written into it.
func TestAFileThatMayBeLatin1GetsNoCharacterOfItsNeighbours(t *testing.T) {
	e, err := text.Detect([]byte("caf\xe9\n"))
	if err != nil || e.Name() != "ISO-8859-1" {
		t.Fatal(e.Name(), err)
	}
	var missing *text.UnencodableError
	if b, err := e.Encode([]byte("5\n10 €")); !errors.As(err, &missing) || missing.Rune != '€' || missing.Line != 2 {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := e.Encode([]byte("déjà ÿ")); err != nil || string(b) != "d\xe9j\xe0 \xff" {
		t.Errorf("%q, %v", b, err)
	}
	if got := e.Show([]byte("5 \x80")); got != "5 €" { // what a sample has not shown
		t.Errorf("%q", got)
	}
}

// A stray byte that the best encoding has not does not keep a file from being edited.
func TestAStrayByteLeavesAnEncodingThatHasIt(t *testing.T) {
	b, err := text.Windows1253.Encode([]byte(strings.Repeat(greek, 1000)))
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, "\xff\n"...) // not Greek, far behind what is judged
	e, err := text.Detect(b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Decode(b); err != nil {
		t.Errorf("%s: %v", e.Name(), err)
	}
}

// FuzzDetect: what decodes, encodes to the same bytes, and nothing panics.
func FuzzDetect(f *testing.F) {
	for _, s := range []string{chinese, "\xff\xfea\x00", "\xd6\xd0\xce\xc4", "\x82\xa0\x82\xa2", "caf\xe9", "\x1b$B$\"\x1b(B", "\x81\x30\x81\x30", "\x8f\xa2\xaf"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := text.Detect(b)
		if err != nil {
			return
		}
		e.Show(b)
		s, err := e.Decode(b)
		if err != nil {
			return
		}
		if back, err := e.Encode(s); err != nil || !bytes.Equal(back, b) {
			t.Fatalf("%s: %q → %q → %q, %v", e.Name(), b, s, back, err)
		}
	})
}

// Compressed and encrypted data has no NUL in a short file, and every byte means something in some old encoding.
func TestRandomBytesAreBinary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 64; n <= 4096; n *= 2 {
		wrong := 0
		for range 200 {
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(1 + r.IntN(255))
			}
			if _, err := text.Detect(b); err == nil {
				wrong++
			}
		}
		if wrong > 6 { // in 64 bytes a few may hold hardly any control character
			t.Errorf("%d bytes: %d of 200 taken for text", n, wrong)
		}
	}
}

// GB18030 holds every character, and no program that reads GBK reads its four-byte forms: a GBK file stays one, or the
// edit is refused.
func TestAGBKFileStaysOne(t *testing.T) {
	b, err := text.GBK.Encode([]byte("文件\n"))
	if err != nil {
		t.Fatal(err)
	}
	e, err := text.Detect(b)
	if err != nil || e.Name() != "GBK" {
		t.Fatalf("%s, %v", e.Name(), err)
	}
	if got, err := e.Encode([]byte("文件 😀\n")); err == nil {
		t.Errorf("%x: an emoji in GBK", got)
	}
	wide, err := text.GB18030.Encode([]byte("文件 😀\n"))
	if err != nil {
		t.Fatal(err)
	}
	if e, err := text.Detect(wide); err != nil || e.Name() != "GB18030" {
		t.Errorf("%s, %v", e.Name(), err)
	}
}
