package search

// byteRarity holds, for each byte, -4·log2 of its share in source code plus '!'. It was measured over a kernel's and a
// compiler's sources, both weighing the same. Only speed depends on it.
const byteRarity = "~~~~~~~~~75~~p~~~~~~~~u~~~~~~~~~+L7ENNIJ>>BG9>;<7;=??B?D@C<BJ?FW" +
	"F;A=>;?BB<KE>?>>>F<<;ABDCFJEEEV7E7>883:<<5HA9;669G565:=@:?HAKAZ~" +
	"Vc`cccegbeefcghefikhWegfdedhcehiffjjefggdghhgfeefghhhjhYbdddadff" +
	"~~Xhww~s{pqwlqemrt~}~rrofevu~~~~lgV`_\\]_acniho~fl~~~~~~~~~~~~~~~"

// rarity returns the rarity of a byte in quarters of a bit: a byte of 40 occurs about once in 2^10 bytes.
func rarity(c byte) int { return int(byteRarity[c] - '!') }
