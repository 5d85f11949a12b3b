package object

// The kinds that hold what pods are configured with. Of a secret the relay sends
// the keys alone, which is all that is counted here.

func configMaps() *printer {
	return named().count("Data", "data{}", "binaryData{}").age().printer()
}

func secrets() *printer {
	return named().text("Type", "type", "").count("Data", "data{}").age().printer()
}
