package words

import "testing"

// TestBriefSums checks how sums are shortened.
func TestBriefSums(t *testing.T) {
	for sum, want := range map[string]string{
		"": "", "0": "0", "12": "12", "1204": "1,204", "999999": "999,999", "1234567": "1.23M", "-5": "-5", "2.5": "2.5", "34/40": "34/40", "…": "…",
		"3500m": "3.5", "250m": "0.25", "175m": "0.175", "38100m": "38.1", "349675m": "350", "64": "64", "10k": "10k",
		"512Mi": "512Mi", "4300Mi": "4.2Gi", "13107200Mi": "12.5Ti", "849133280Ki": "810Gi", "3221225472": "3.22G", "1536": "1,536",
		"3500m (90 of 100)": "3.5 (90)", "4Gi (1 of 2)": "4Gi (1)", "1.845e+19": "18.4E",
	} {
		if got := Brief(sum); got != want {
			t.Errorf("%q: %q, want %q", sum, got, want)
		}
	}
}

// TestCount checks the separators of thousands.
func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 98310: "98,310", 1234567: "1,234,567", -1: "-1", -123: "-123", -1234: "-1,234"} {
		if got := Count(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for ms, want := range map[int64]string{0: "0.0 s", 240: "0.2 s", 9_999: "10.0 s", 10_400: "10s", 3_725_000: "1h2m5s"} {
		if got := Seconds(ms); got != want {
			t.Errorf("%d ms: want %s, got %s", ms, want, got)
		}
	}
}
