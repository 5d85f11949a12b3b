package line

import "testing"

// BenchmarkLevel takes the level of one line of each format.
func BenchmarkLevel(b *testing.B) { each(b, func(text string) { LevelOf(text) }) }

// BenchmarkTrace does what is done for each line that comes in.
func BenchmarkTrace(b *testing.B) {
	var t Trace
	each(b, func(text string) { t.Next(text) })
}

// BenchmarkParse reads all of each line.
func BenchmarkParse(b *testing.B) {
	var l Line
	each(b, func(text string) { l.Parse(text) })
}

func each(b *testing.B, do func(text string)) {
	bytes := 0
	for _, c := range formats {
		bytes += len(c.text)
	}
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		for _, c := range formats {
			do(c.text)
		}
	}
}
