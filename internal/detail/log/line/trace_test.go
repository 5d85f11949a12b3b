package line

import (
	"strings"
	"testing"
)

// traces are logs of several lines. Those that continue the line before begin with a bar.
var traces = map[string]string{
	"Java": `
2026-11-22 02:47:17,123 [main] ERROR com.acme.Foo - cannot save
|java.lang.IllegalStateException: closed
|	at com.acme.Foo.save(Foo.java:12)
|	at com.acme.Foo.main(Foo.java:5)
|	Suppressed: java.io.IOException: late
|		at com.acme.Foo.close(Foo.java:20)
|Caused by: java.io.IOException: no space
|	at com.acme.Disk.write(Disk.java:7)
|	... 2 more
2026-11-22 02:47:18,123 [main] INFO com.acme.Foo - again`,
	"Java, uncaught": `
2026-11-22 02:47:17 INFO started
Exception in thread "main" java.lang.NullPointerException
|	at com.acme.Foo.main(Foo.java:5)
done`,
	"Python": `
ERROR:app:cannot save
|Traceback (most recent call last):
|  File "/app/main.py", line 3, in save
|    write(x)
|OSError: [Errno 28] No space left on device
|
|During handling of the above exception, another exception occurred:
|
|Traceback (most recent call last):
|  File "/app/main.py", line 7, in <module>
|    save()
|app.errors.SaveError: cannot save
INFO:app:again`,
	"Python, uncaught": `
starting
Traceback (most recent call last):
|  File "/app/main.py", line 3, in <module>
|    run()
|KeyboardInterrupt
next`,
	"Go": `
I1122 02:47:17.123456       1 main.go:5] starting
panic: runtime error: invalid memory address or nil pointer dereference
|[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x48f5]
|
|goroutine 1 [running]:
|main.(*server).run(...)
|	/src/main.go:12
|main.main()
|	/src/main.go:5 +0x1d
|created by main.start in goroutine 1
|	/src/main.go:3 +0x25
|exit status 2
I1122 02:47:18.123456       1 main.go:5] starting`,
	"Go, repanicked, with registers": `
panic: assignment to entry in nil map [recovered]
|	panic: assignment to entry in nil map
|
|goroutine 19 [running]:
|testing.tRunner.func1.2({0x5, 0x6})
|	/usr/lib/go/testing.go:1632 +0x230
|panic({0x1?, 0x2?})
|	/usr/lib/go/runtime/panic.go:785 +0x132
|main.(*T).run(0xc0, {0x1, 0x2})
|	/src/main.go:12 +0x1d
|
|rax    0x0
|rflags 0x246
|exit status 2
2026/11/22 02:47:18 again`,
	"Go, dumped by a signal": `
SIGQUIT: quit
|PC=0x47e1a1 m=0 sigcode=0
|
|goroutine 1 [chan receive]:
|main.main()
|	/src/main.go:6 +0x3d
listening`,
	"Go, a panic that net/http recovers": `
2026/11/22 02:47:17 http: panic serving 10.0.0.1:5000: boom
|goroutine 22 [running]:
|net/http.(*conn).serve.func1()
|	/usr/lib/go/net/http/server.go:1947 +0xb0
|panic({0x1?, 0x2?})
|	/usr/lib/go/runtime/panic.go:785 +0x132
2026/11/22 02:47:18 http: Server closed`,
	"Python, with a message of several lines": `
ERROR:app:cannot connect
|Traceback (most recent call last):
|  File "/app/main.py", line 3, in save
|    connect()
|psycopg.OperationalError: connection refused
|	Is the server running on that host and accepting TCP/IP connections?
INFO:app:again`,
	"zap console": `
2026-11-22T02:47:17.123Z	ERROR	main.go:12	cannot listen
|github.com/acme/web.(*Server).Run
|	/src/server.go:12
|main.main
|	/src/main.go:5
2026-11-22T02:47:18.123Z	INFO	main.go:13	again`,
	"JavaScript": `
TypeError: Cannot read properties of undefined (reading 'id')
|    at save (/app/index.js:3:10)
|    at async /app/index.js:7:3
listening`,
	".NET": `
Unhandled exception. System.InvalidOperationException: closed
|   at Acme.Foo.Save() in /src/Foo.cs:line 12
|   --- End of inner exception stack trace ---
|   at Acme.Foo.Main() in /src/Foo.cs:line 5
done`,
	".NET, nested": `
Unhandled exception. System.AggregateException: One or more errors occurred. (closed)
| ---> System.InvalidOperationException: closed
|   at Acme.Foo.Save() in /src/Foo.cs:line 12
|   --- End of inner exception stack trace ---
done`,
	".NET's console logger": `
info: Microsoft.Hosting.Lifetime[14]
      Now listening on: http://[::]:8080
fail: Microsoft.AspNetCore.Server.Kestrel[13]
      Connection id "0HN": An unhandled exception was thrown by the application.
|      System.InvalidOperationException: closed
|       ---> System.IO.IOException: no space
|         at Acme.Foo.Save() in /src/Foo.cs:line 12
|         --- End of inner exception stack trace ---
2026-11-22 02:47:18 warn: Acme.Orders[0]
      slow
done`,
	"Ruby": `
E, [2026-11-22T02:47:17.123456 #1] ERROR -- : boom (RuntimeError)
|	from app.rb:5:in 'run'
I, [2026-11-22T02:47:18.123456 #1]  INFO -- : again`,
	"Rust": `
thread 'main' panicked at src/main.rs:4:5:
|index out of bounds: the len is 3 but the index is 7
|stack backtrace:
|   0: rust_begin_unwind
|             at /rustc/library/std/src/panicking.rs:697:5
|note: run with RUST_BACKTRACE=1
2026-11-22T02:47:17Z  INFO app: again`,
	"Rust, without a backtrace": `
thread 'main' panicked at src/main.rs:4:5:
|assertion failed
|  left: 1
| right: 2
|note: run with RUST_BACKTRACE=1
restarting
  indented
done`,
	"Rust, with the thread's number": `
thread 'main' (4711) panicked at src/main.rs:4:5:
|index out of bounds: the len is 3 but the index is 7
|note: run with RUST_BACKTRACE=1
done`,
	"PHP": `
[22-Nov-2026 02:47:17 UTC] PHP Fatal error:  Uncaught Exception: closed in /var/www/index.php:5
|Stack trace:
|#0 {main}
|  thrown in /var/www/index.php on line 5
[22-Nov-2026 02:47:18 UTC] PHP Warning:  low`,
	"Laravel": `
[2026-11-22 02:47:17] production.ERROR: closed {"exception":"[object] (Exception(code: 0): closed at /var/www/x.php:5)
|[stacktrace]
|#0 /var/www/vendor/x.php(12): App\\X->y()
|#1 {main}
|"} 
[2026-11-22 02:47:18] production.ERROR: again`,
	"PostgreSQL": `
2026-11-22 02:47:17.123 UTC [77] ERROR:  duplicate key value violates unique constraint "orders_pkey"
|2026-11-22 02:47:17.123 UTC [77] DETAIL:  Key (id)=(5) already exists.
|2026-11-22 02:47:17.123 UTC [77] STATEMENT:  INSERT INTO orders
|	VALUES (5);
2026-11-22 02:47:18.123 UTC [78] ERROR:  again
2026-11-22 02:47:18.123 UTC [1] LOG:  checkpoint starting: time`,
	"JavaScript, with properties": `
Error: connect ECONNREFUSED 127.0.0.1:5432
|    at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1634:16) {
|  errno: -111,
|  code: 'ECONNREFUSED'
|}
listening`,
	"Rust, on one line": `
thread 'a' panicked at 'no', src/main.rs:4:5
|note: run with RUST_BACKTRACE=1
thread 'b' panicked at 'no', src/main.rs:4:5
restarting`,
	"no trace": `
  indented from the beginning
server:
  port: 8080
{"level":"error","msg":"x"}
  after an error
GET /api
at noon
{"level":"error","msg":"y"}
plain
2026-11-22 02:47:17 WARN low
main.conf: missing`,
}

func TestTraces(t *testing.T) {
	for name, text := range traces {
		var trace Trace
		for text := range strings.SplitSeq(text[1:], "\n") {
			text, want := strings.CutPrefix(text, "|")
			level, continues := trace.Next(text)
			if continues != want || continues && level != None {
				t.Errorf("%s: %q continues: %t, want %t", name, text, continues, want)
			}
		}
	}
}

// TestMessageBelow has the level of the line before for a message that .NET's console logger writes below it.
func TestMessageBelow(t *testing.T) {
	var trace Trace
	for _, c := range []struct {
		text string
		want Level
	}{
		{"fail: Acme.Orders[7]", Error}, {"      cannot save", Error}, {"      System.Exception: closed", None},
		{"dbug: Acme.Orders[-1]", Debug}, {"      saved", Debug}, {"      info: no head", None},
		{"info: saved item[7]", Info}, {"      indented", None},
		{"warn: Acme.Orders[7]", Warn}, {"another line", None}, {"      indented", None},
	} {
		if level, _ := trace.Next(c.text); level != c.want {
			t.Errorf("%q has the level %s, want %s", c.text, level, c.want)
		}
	}
}

// TestTree shows what is nested below what it is nested in.
func TestTree(t *testing.T) {
	const text = `{"level":"info","msg":"x","a":{"b":[1,{"c":"two\n"},[]],"d":{}},"e":null}`
	var l Line
	l.Parse(text)
	var got strings.Builder
	for _, m := range l.Tree(text) {
		got.WriteString(strings.Repeat(" ", m.Depth) + m.Key + "=" + m.Value + ";")
	}
	if want := "a=; b=;  =1;  =;   c=two\n;  =[]; d={};e=null;"; got.String() != want {
		t.Errorf("%q, want %q", got.String(), want)
	}
	deep := `{"a":` + strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5001)
	if l.Parse(deep); len(l.Tree(deep)) != deepestShown+1 {
		t.Errorf("%d rows", len(l.Tree(deep)))
	}
	wide := `{"a":[` + strings.Repeat("1,", 5000) + "1]}"
	if l.Parse(wide); len(l.Tree(wide)) != mostMembers {
		t.Errorf("%d rows", len(l.Tree(wide)))
	}
}
