package line

import (
	"strings"
	"testing"
)

// formats are lines as their documentation shows them, each with its level, its time, its
// message, and its fields as name=value.
var formats = []struct {
	name, text    string
	level         Level
	time, message string
	fields        string
}{
	{"zap production", `{"level":"info","ts":1763779637.123,"caller":"server/main.go:12","msg":"listening","port":8080}`, Info, "1763779637.123", "listening", "caller=server/main.go:12 port=8080"},
	{"zap console", "2026-11-22T02:47:17.123Z\tERROR\tserver/main.go:12\tcannot listen\t{\"port\": 8080, \"error\": \"in use\"}", Error, "2026-11-22T02:47:17.123Z", "cannot listen", "caller=server/main.go:12 port=8080 error=in use"},
	{"zap development keys", `{"L":"WARN","T":"2026-11-22T02:47:17.123Z","C":"main.go:12","M":"slow"}`, Warn, "2026-11-22T02:47:17.123Z", "slow", "C=main.go:12"},
	{"controller-runtime", "2026-11-22T02:47:17Z\tINFO\tcontroller-runtime.metrics\tStarting metrics server\t{\"bindAddress\": \":8080\"}", Info, "2026-11-22T02:47:17Z", "Starting metrics server", "logger=controller-runtime.metrics bindAddress=:8080"},
	{"zerolog", `{"level":"debug","time":"2026-11-22T02:47:17Z","message":"cache hit","key":"item:7"}`, Debug, "2026-11-22T02:47:17Z", "cache hit", "key=item:7"},
	{"zerolog console", "2026-11-22T02:47:17Z INF listening port=8080", Info, "2026-11-22T02:47:17Z", "listening", "port=8080"},
	{"zerolog console with caller", "3:04PM ERR main.go:12 > cannot listen error=\"in use\" port=8080", Error, "3:04PM", "cannot listen", "caller=main.go:12 error=in use port=8080"},
	{"logrus text", `time="2026-11-22T02:47:17Z" level=warning msg="slow query" rows=12`, Warn, "2026-11-22T02:47:17Z", "slow query", "rows=12"},
	{"logrus terminal", `WARN[0042] slow query                                    rows=12 table=orders`, Warn, "", "slow query", "rows=12 table=orders"},
	{"logrus JSON", `{"level":"fatal","msg":"no space left","time":"2026-11-22T02:47:17Z"}`, Error, "2026-11-22T02:47:17Z", "no space left", ""},
	{"slog text", `time=2026-11-22T02:47:17.123Z level=ERROR msg="cannot save" err="disk full" user.id=7`, Error, "2026-11-22T02:47:17.123Z", "cannot save", "err=disk full user.id=7"},
	{"slog JSON", `{"time":"2026-11-22T02:47:17.123Z","level":"INFO","msg":"saved","user":{"id":7,"name":"ana"}}`, Info, "2026-11-22T02:47:17.123Z", "saved", `user={"id":7,"name":"ana"}`},
	{"slog default", "2026/11/22 02:47:17 INFO listening port=8080", Info, "2026/11/22 02:47:17", "listening", "port=8080"},
	{"klog", "W1122 02:47:17.123456       1 reflector.go:302] watch closed: too old resource version", Warn, "1122 02:47:17.123456", "watch closed: too old resource version", "pid=1 caller=reflector.go:302"},
	{"klog structured", `I1122 02:47:17.123456       1 pod.go:51] "Pod status updated" pod="default/web" status="ready"`, Info, "1122 02:47:17.123456", "Pod status updated", "pid=1 caller=pod.go:51 pod=default/web status=ready"},
	{"klog JSON", `{"ts":1763779637123.4,"caller":"pod.go:51","msg":"Pod status updated","v":0,"pod":{"name":"web"}}`, None, "1763779637123.4", "Pod status updated", `caller=pod.go:51 v=0 pod={"name":"web"}`},
	{"glog", "E20261122 02:47:17.123456 1234 server.cc:77] cannot bind", Error, "20261122 02:47:17.123456", "cannot bind", "pid=1234 caller=server.cc:77"},
	{"CockroachDB", "I261122 02:47:17.123456 1 server/server.go:77 ⋮ [n1] starting", Info, "261122 02:47:17.123456", "server/server.go:77 ⋮ [n1] starting", "pid=1"},
	{"log4j pattern", "2026-11-22 02:47:17,123 [main] WARN  com.acme.Foo - pool is full", Warn, "2026-11-22 02:47:17,123", "pool is full", "thread=main logger=com.acme.Foo"},
	{"log4j, level first", "ERROR [main] 2026-11-22 02:47:17,123 StorageService.java:1234 - cannot flush", Error, "2026-11-22 02:47:17,123", "cannot flush", "thread=main logger=StorageService.java:1234"},
	{"logback", "02:47:17.123 [http-nio-8080-exec-1] DEBUG c.a.web.Filter - filtered 3 rows", Debug, "02:47:17.123", "filtered 3 rows", "thread=http-nio-8080-exec-1 logger=c.a.web.Filter"},
	{"logback JSON", `{"@timestamp":"2026-11-22T02:47:17.123Z","@version":"1","message":"pool is full","logger_name":"com.acme.Foo","thread_name":"main","level":"WARN","level_value":30000}`, Warn, "2026-11-22T02:47:17.123Z", "pool is full", "@version=1 logger_name=com.acme.Foo thread_name=main level_value=30000"},
	{"Spring Boot", "2026-11-22T02:47:17.123Z  INFO 1 --- [           main] c.a.shop.ShopApplication                 : Started ShopApplication in 2.5 seconds", Info, "2026-11-22T02:47:17.123Z", "Started ShopApplication in 2.5 seconds", "pid=1 thread=main logger=c.a.shop.ShopApplication"},
	{"java.util.logging", "22-Nov-2026 02:47:17.123 SEVERE [main] org.apache.catalina.core.StandardContext.startInternal One or more listeners failed", Error, "22-Nov-2026 02:47:17.123", "[main] org.apache.catalina.core.StandardContext.startInternal One or more listeners failed", ""},
	{"ECS", `{"@timestamp":"2026-11-22T02:47:17.123Z","log.level":"ERROR","message":"cannot index","ecs.version":"1.2.0"}`, Error, "2026-11-22T02:47:17.123Z", "cannot index", "ecs.version=1.2.0"},
	{"ECS nested", `{"@timestamp":"2026-11-22T02:47:17.123Z","log":{"level":"warn","logger":"app"},"message":"slow"}`, Warn, "2026-11-22T02:47:17.123Z", "slow", `log={"level":"warn","logger":"app"}`},
	{"pino", `{"level":50,"time":1763779637123,"pid":1,"hostname":"web","msg":"upstream reset"}`, Error, "1763779637123", "upstream reset", "pid=1 hostname=web"},
	{"bunyan", `{"name":"web","hostname":"web-1","pid":1,"level":40,"msg":"slow","time":"2026-11-22T02:47:17.123Z","v":0}`, Warn, "2026-11-22T02:47:17.123Z", "slow", "name=web hostname=web-1 pid=1 v=0"},
	{"winston", `{"level":"info","message":"saved","service":"orders","timestamp":"2026-11-22T02:47:17.123Z"}`, Info, "2026-11-22T02:47:17.123Z", "saved", "service=orders"},
	{"winston simple", `error: cannot save {"service":"orders"}`, Error, "", "cannot save", "service=orders"},
	{"python logging", "2026-11-22 02:47:17,123 - app.db - WARNING - slow query", Warn, "2026-11-22 02:47:17,123", "slow query", "logger=app.db"},
	{"python basicConfig", "ERROR:app.db:cannot connect: refused", Error, "", "cannot connect: refused", "logger=app.db"},
	{"uvicorn", `INFO:     10.1.2.3:51234 - "GET /items/7 HTTP/1.1" 200 OK`, Info, "", `10.1.2.3:51234 - "GET /items/7 HTTP/1.1" 200 OK`, "method=GET path=/items/7 status=200"},
	{"gunicorn", "[2026-11-22 02:47:17 +0000] [7] [INFO] Booting worker with pid: 7", Info, "2026-11-22 02:47:17 +0000", "Booting worker with pid: 7", "pid=7"},
	{"celery", "[2026-11-22 02:47:17,123: ERROR/MainProcess] Task tasks.add raised", Error, "2026-11-22 02:47:17,123", "Task tasks.add raised", "logger=MainProcess"},
	{"airflow", "[2026-11-22T02:47:17.123+0000] {taskinstance.py:1157} INFO - Dependencies met", Info, "2026-11-22T02:47:17.123+0000", "Dependencies met", "logger=taskinstance.py:1157"},
	{"structlog JSON", `{"event":"request finished","level":"info","timestamp":"2026-11-22T02:47:17Z","status":200}`, Info, "2026-11-22T02:47:17Z", "request finished", "status=200"},
	{"structlog console", "2026-11-22 02:47:17 [warning  ] slow query                     rows=12 table=orders", Warn, "2026-11-22 02:47:17", "slow query", "rows=12 table=orders"},
	{"loguru", "2026-11-22 02:47:17.123 | DEBUG    | app.db:connect:12 - connected", Debug, "2026-11-22 02:47:17.123", "connected", "logger=app.db:connect:12"},
	{"nginx error", `2026/11/22 02:47:17 [error] 29#29: *1 open() "/srv/x" failed (2: No such file or directory), client: 10.0.0.1`, Error, "2026/11/22 02:47:17", `*1 open() "/srv/x" failed (2: No such file or directory), client: 10.0.0.1`, "pid=29#29"},
	{"nginx access", `10.0.0.1 - ana [22/Nov/2026:02:47:17 +0000] "GET /x?y=1 HTTP/1.1" 503 197 "-" "curl/8.5"`, None, "22/Nov/2026:02:47:17 +0000", `"GET /x?y=1 HTTP/1.1" 503 197 "-" "curl/8.5"`, "client=10.0.0.1 user=ana method=GET path=/x?y=1 status=503 bytes=197"},
	{"apache error", "[Sun Nov 22 02:47:17.123456 2026] [core:error] [pid 7:tid 139] [client 10.0.0.1:5123] AH00037: denied", Error, "Sun Nov 22 02:47:17.123456 2026", "[pid 7:tid 139] [client 10.0.0.1:5123] AH00037: denied", ""},
	{"envoy", "[2026-11-22 02:47:17.123][1][warning][main] [source/server/server.cc:404] no runtime", Warn, "2026-11-22 02:47:17.123", "[main] [source/server/server.cc:404] no runtime", "pid=1"},
	{"envoy access", `[2026-11-22T02:47:17.123Z] "POST /api HTTP/2" 404 NR 0 0 1 - "-" "curl/8.5"`, None, "2026-11-22T02:47:17.123Z", `"POST /api HTTP/2" 404 NR 0 0 1 - "-" "curl/8.5"`, "method=POST path=/api status=404"},
	{"istio", "2026-11-22T02:47:17.123456Z\twarn\txdsproxy\tconnection closed, retrying", Warn, "2026-11-22T02:47:17.123456Z", "connection closed, retrying", "logger=xdsproxy"},
	{"istio access JSON", `{"start_time":"2026-11-22T02:47:17.123Z","method":"GET","path":"/x","response_code":503,"duration":12}`, None, "2026-11-22T02:47:17.123Z", "", "method=GET path=/x response_code=503 duration=12"},
	{"haproxy", "[WARNING]  (1) : Server web/a is DOWN", Warn, "", "(1) : Server web/a is DOWN", ""},
	{"traefik", `time="2026-11-22T02:47:17Z" level=error msg="service not found" ingress=web namespace=default`, Error, "2026-11-22T02:47:17Z", "service not found", "ingress=web namespace=default"},
	{"traefik 3", "2026-11-22T02:47:17Z ERR error=\"service not found\" ingress=web", Error, "2026-11-22T02:47:17Z", "", "error=service not found ingress=web"},
	{"caddy", `{"level":"error","ts":1763779637.1,"logger":"http.log.access","msg":"handled request","request":{"method":"GET","uri":"/"},"status":502}`, Error, "1763779637.1", "handled request", `logger=http.log.access request={"method":"GET","uri":"/"} status=502`},
	{"coredns", "[ERROR] plugin/errors: 2 example.com. A: read udp 10.0.0.1:53: i/o timeout", Error, "", "plugin/errors: 2 example.com. A: read udp 10.0.0.1:53: i/o timeout", ""},
	{"coredns query", `[INFO] 10.0.0.1:41234 - 1234 "A IN example.com. udp 29 false 512" NOERROR qr,rd,ra 105 0.003s`, Info, "", `10.0.0.1:41234 - 1234 "A IN example.com. udp 29 false 512" NOERROR qr,rd,ra 105 0.003s`, ""},
	{"postgres", "2026-11-22 02:47:17.123 UTC [42] FATAL:  password authentication failed for user \"ana\"", Error, "2026-11-22 02:47:17.123 UTC", `password authentication failed for user "ana"`, "pid=42"},
	{"postgres log", "2026-11-22 02:47:17.123 UTC [42] LOG:  checkpoint starting: time", Info, "2026-11-22 02:47:17.123 UTC", "checkpoint starting: time", "pid=42"},
	{"postgres with user and database", "2026-11-22 02:47:17 UTC [78] ana@shop LOG:  duration: 12 ms", Info, "2026-11-22 02:47:17 UTC", "duration: 12 ms", "pid=78 logger=ana@shop"},
	{"mysql", "2026-11-22T02:47:17.123456Z 0 [Warning] [MY-010068] [Server] CA certificate is self signed.", Warn, "2026-11-22T02:47:17.123456Z", "[MY-010068] [Server] CA certificate is self signed.", "pid=0"},
	{"mongo", `{"t":{"$date":"2026-11-22T02:47:17.123+00:00"},"s":"W","c":"CONTROL","id":22120,"ctx":"main","msg":"Access control is not enabled","attr":{"x":1}}`, Warn, "2026-11-22T02:47:17.123+00:00", "Access control is not enabled", `c=CONTROL id=22120 ctx=main attr={"x":1}`},
	{"redis", "1:M 22 Nov 2026 02:47:17.123 # WARNING Memory overcommit must be enabled", Warn, "22 Nov 2026 02:47:17.123", "WARNING Memory overcommit must be enabled", "source=1:M"},
	{"etcd", `{"level":"warn","ts":"2026-11-22T02:47:17.123Z","caller":"etcdserver/util.go:170","msg":"apply request took too long","took":"512ms"}`, Warn, "2026-11-22T02:47:17.123Z", "apply request took too long", "caller=etcdserver/util.go:170 took=512ms"},
	{"env_logger", "[2026-11-22T02:47:17Z ERROR app::db] cannot connect", Error, "2026-11-22T02:47:17Z", "cannot connect", "logger=app::db"},
	{"mysql note", "2026-11-22T02:47:17.123456Z 0 [Note] [MY-010119] [Server] buffer pool loaded", Info, "2026-11-22T02:47:17.123456Z", "[MY-010119] [Server] buffer pool loaded", "pid=0"},
	{"mysql ready", "2026-11-22T02:47:17.123456Z 0 [System] [MY-010931] [Server] ready for connections", Info, "2026-11-22T02:47:17.123456Z", "[MY-010931] [Server] ready for connections", "pid=0"},
	{"mariadb", "2026-11-22 02:47:17 0 [Note] InnoDB: Buffer pool loaded", Info, "2026-11-22 02:47:17", "InnoDB: Buffer pool loaded", "pid=0"},
	{"a system that is no level", "2026-11-22 02:47:17 [System] ERROR no note here", Error, "2026-11-22 02:47:17", "no note here", "thread=System"},
	{"tracing JSON", `{"timestamp":"2026-11-22T02:47:17.123456Z","level":"INFO","fields":{"message":"saved \"7\"","status":200},"target":"web::api"}`, Info, "2026-11-22T02:47:17.123456Z", `saved "7"`, `fields={"message":"saved \"7\"","status":200} target=web::api`},
	{"slog, below debug", `time=2026-11-22T02:47:17.123Z level=DEBUG-4 msg=trace`, Debug, "2026-11-22T02:47:17.123Z", "trace", ""},
	{"slog JSON, above error", `{"time":"2026-11-22T02:47:17.123Z","level":"ERROR+4","msg":"no space"}`, Error, "2026-11-22T02:47:17.123Z", "no space", ""},
	{"logrus terminal, error", "ERRO[0002] cannot save", Error, "", "cannot save", ""},
	{"Spring Boot with an application", "2026-11-22T02:47:17.123Z  INFO 1 --- [shop] [           main] c.a.shop.Shop : started", Info, "2026-11-22T02:47:17.123Z", "started", "pid=1 app=shop thread=main logger=c.a.shop.Shop"},
	{"logback without a configuration", "02:47:17.123 [main] INFO com.acme.Main -- started", Info, "02:47:17.123", "started", "thread=main logger=com.acme.Main"},
	{"haproxy request", `10.0.0.1:51234 [22/Nov/2026:02:47:17.123] http-in web/a 0/0/1/2/3 503 213 - - SC-- 1/1/0/0/3 0/0 "GET /x HTTP/1.1"`, None, "22/Nov/2026:02:47:17.123", `http-in web/a 0/0/1/2/3 503 213 - - SC-- 1/1/0/0/3 0/0 "GET /x HTTP/1.1"`, "client=10.0.0.1:51234 method=GET path=/x"},
	{"PHP", "[22-Nov-2026 02:47:17 UTC] PHP Warning:  Undefined variable $x in /var/www/index.php on line 3", Warn, "22-Nov-2026 02:47:17 UTC", "PHP Warning:  Undefined variable $x in /var/www/index.php on line 3", ""},
	{"PHP-FPM", "NOTICE: PHP message: PHP Fatal error:  Uncaught Error: closed in /var/www/index.php:3", Error, "", "PHP message: PHP Fatal error:  Uncaught Error: closed in /var/www/index.php:3", ""},
	{"spaces only", strings.Repeat(" ", 200) + "x", None, "", "x", ""},
	{"PHP-FPM, of a script", "NOTICE: PHP message: hi", Info, "", "PHP message: hi", ""},
	{"Nest", "[Nest] 7  - 11/22/2026, 2:47:17 AM     LOG [NestFactory] Starting", Info, "11/22/2026, 2:47:17 AM", "[NestFactory] Starting", "thread=Nest pid=7"},
	{"Nest, error", "[Nest] 7  - 11/22/2026, 02:47:17 AM   ERROR [Handler] closed", Error, "11/22/2026, 02:47:17 AM", "[Handler] closed", "thread=Nest pid=7"},
	{"java.util.logging, two lines", "Nov 2, 2026 2:47:17 AM com.acme.Main run", None, "Nov 2, 2026 2:47:17 AM", "com.acme.Main run", ""},
	{"java.util.logging, Java 20", "Nov 22, 2026 12:47:17\u202fPM com.acme.Main run", None, "Nov 22, 2026 12:47:17\u202fPM", "com.acme.Main run", ""},
	{"a sentence on PHP", "we upgrade PHP Warning: none", None, "", "we upgrade PHP Warning: none", ""},
	{"tracing", "2026-11-22T02:47:17.123456Z  INFO app::db: connected pool=5 host=\"db\"", Info, "2026-11-22T02:47:17.123456Z", "connected", "logger=app::db pool=5 host=db"},
	{"ruby", "E, [2026-11-22T02:47:17.123456 #1] ERROR -- web: cannot render", Error, "2026-11-22T02:47:17.123456", "cannot render", "logger=web"},
	{"rails", "I, [2026-11-22T02:47:17.123456 #1]  INFO -- : Started GET \"/\" for 10.0.0.1", Info, "2026-11-22T02:47:17.123456", `Started GET "/" for 10.0.0.1`, ""},
	{".NET console", "fail: Microsoft.AspNetCore.Server.Kestrel[13]", Error, "", "Microsoft.AspNetCore.Server.Kestrel[13]", ""},
	{".NET JSON", `{"EventId":14,"LogLevel":"Information","Category":"Microsoft.Hosting.Lifetime","Message":"Now listening on: http://[::]:8080"}`, Info, "", "Now listening on: http://[::]:8080", "EventId=14 Category=Microsoft.Hosting.Lifetime"},
	{"Serilog compact", `{"@t":"2026-11-22T02:47:17.123Z","@m":"Saved 7","@l":"Warning","Count":7}`, Warn, "2026-11-22T02:47:17.123Z", "Saved 7", "Count=7"},
	{"syslog", "<11>Nov 22 02:47:17 web app[12]: cannot save", Error, "Nov 22 02:47:17", "web app[12]: cannot save", ""},
	{"syslog, RFC 5424", "<165>1 2026-11-22T02:47:17.003Z web app 12 ID47 - saved", Info, "2026-11-22T02:47:17.003Z", "web app 12 ID47 - saved", ""},
	{"systemd", "<4>slow disk", Warn, "", "slow disk", ""},
	{"GELF", `{"version":"1.1","host":"web","short_message":"cannot save","level":3,"timestamp":1763779637.1}`, Error, "1763779637.1", "cannot save", "version=1.1 host=web"},
	{"kafka", "[2026-11-22 02:47:17,123] INFO [KafkaServer id=0] started (kafka.server.KafkaServer)", Info, "2026-11-22 02:47:17,123", "[KafkaServer id=0] started (kafka.server.KafkaServer)", ""},
	{"zookeeper", "2026-11-22 02:47:17,123 [myid:1] - INFO  [main:QuorumPeerConfig@136] - Reading configuration", Info, "2026-11-22 02:47:17,123", "Reading configuration", "thread=myid:1 thread=main:QuorumPeerConfig@136"},
	{"elasticsearch", "[2026-11-22T02:47:17,123][WARN ][o.e.n.Node] [node-1] closing", Warn, "2026-11-22T02:47:17,123", "[o.e.n.Node] [node-1] closing", ""},
	{"elasticsearch JSON", `{"type":"server","timestamp":"2026-11-22T02:47:17,123Z","level":"WARN","component":"o.e.n.Node","message":"closing"}`, Warn, "2026-11-22T02:47:17,123Z", "closing", "type=server component=o.e.n.Node"},
	{"containerd", `time="2026-11-22T02:47:17.123456789Z" level=info msg="PullImage \"nginx:latest\""`, Info, "2026-11-22T02:47:17.123456789Z", `PullImage "nginx:latest"`, ""},
	{"fluent-bit", "[2026/11/22 02:47:17] [ warn] [engine] failed to flush chunk", Warn, "2026/11/22 02:47:17", "[engine] failed to flush chunk", ""},
	{"fluentd", "2026-11-22 02:47:17 +0000 [warn]: #0 failed to flush the buffer", Warn, "2026-11-22 02:47:17 +0000", "#0 failed to flush the buffer", ""},
	{"vault", "2026-11-22T02:47:17.123Z [INFO]  core: security barrier initialized: stored=1 shares=5", Info, "2026-11-22T02:47:17.123Z", "core: security barrier initialized:", "stored=1 shares=5"},
	{"consul", "2026-11-22T02:47:17.123Z [ERROR] agent.http: Request error: method=GET url=/v1/kv from=10.0.0.1:5000", Error, "2026-11-22T02:47:17.123Z", "agent.http: Request error:", "method=GET url=/v1/kv from=10.0.0.1:5000"},
	{"consul JSON", `{"@level":"warn","@message":"no leader","@module":"agent","@timestamp":"2026-11-22T02:47:17.123Z"}`, Warn, "2026-11-22T02:47:17.123Z", "no leader", "@module=agent"},
	{"prometheus", `ts=2026-11-22T02:47:17.123Z caller=main.go:12 level=info msg="Server is ready" component=web`, Info, "2026-11-22T02:47:17.123Z", "Server is ready", "caller=main.go:12 component=web"},
	{"grafana", `logger=sqlstore t=2026-11-22T02:47:17.123Z level=error msg="no table" error="x=y"`, Error, "2026-11-22T02:47:17.123Z", "no table", "logger=sqlstore error=x=y"},
	{"monolog", `[2026-11-22T02:47:17.123456+00:00] app.ERROR: cannot save`, Error, "2026-11-22T02:47:17.123456+00:00", "cannot save", "logger=app"},
	{"clickhouse", "2026.11.22 02:47:17.123456 [ 1 ] {} <Warning> Application: low memory", Warn, "2026.11.22 02:47:17.123456", "Application: low memory", "pid=1"},
	{"rabbitmq", "2026-11-22 02:47:17.123456+00:00 [notice] <0.44.0> Logging: configured", Info, "2026-11-22 02:47:17.123456+00:00", "<0.44.0> Logging: configured", ""},
	{"elixir", "02:47:17.123 [debug] QUERY OK db=1.5ms", Debug, "02:47:17.123", "QUERY OK", "db=1.5ms"},
	{"Google Cloud", `{"severity":"CRITICAL","message":"out of quota","timestamp":"2026-11-22T02:47:17Z"}`, Error, "2026-11-22T02:47:17Z", "out of quota", ""},
	{"OpenTelemetry", `{"severityText":"WARN","body":"slow","Timestamp":"2026-11-22T02:47:17Z"}`, Warn, "2026-11-22T02:47:17Z", "slow", ""},
	{"a word before JSON", `INFO {"level":"info","msg":"request","status":200}`, Info, "", "request", "status=200"},
	{"a host before the time", "web-1 2026-11-22 02:47:17 ERROR boom", Error, "2026-11-22 02:47:17", "boom", "source=web-1"},
	{"a thread before the time", "[main] 2026-11-22 02:47:17 ERROR boom", Error, "2026-11-22 02:47:17", "boom", "thread=main"},
	{"a worker before a bracket", "worker-3 [2026-11-22 02:47:17] done", None, "2026-11-22 02:47:17", "done", "source=worker-3"},
	{"an access log of IPv6", `2001:db8::7 - - [22/Nov/2026:02:47:17 +0000] "GET /x HTTP/1.1" 200 5`, None, "22/Nov/2026:02:47:17 +0000", `"GET /x HTTP/1.1" 200 5`, "client=2001:db8::7 method=GET path=/x status=200 bytes=5"},
	{"an access log of host names", `shop.example.com - eve [22/Nov/2026:02:47:17 +0000] "GET /x HTTP/1.1" 200 5`, None, "22/Nov/2026:02:47:17 +0000", `"GET /x HTTP/1.1" 200 5`, "client=shop.example.com user=eve method=GET path=/x status=200 bytes=5"},
	{"two levels", `{"level":"error","severity":"info","msg":"x"}`, Error, "", "x", "severity=info"},
	{"two levels in pairs", `level=warn lvl=debug msg=x`, Warn, "", "x", "lvl=debug"},
	{"another level in the object", `INFO {"level":"error","msg":"x"}`, Info, "", "x", "level=error"},
	{"an event and a message", `{"event":"order.saved","level":"info","msg":"saved 7"}`, Info, "", "saved 7", "event=order.saved"},
	{"a message and an event", `{"msg":"saved 7","event":"order.saved"}`, None, "", "saved 7", "event=order.saved"},
	{"a bracket before JSON", `{ctx} saved {"a":1}`, None, "", "{ctx} saved", "a=1"},
	{"plain text", "Listening on port 8080", None, "", "Listening on port 8080", ""},
	{"a sentence with levels", "no error, info or warning here", None, "", "no error, info or warning here", ""},
	{"Go panic", "panic: runtime error: index out of range [3] with length 3", Error, "", "runtime error: index out of range [3] with length 3", ""},
	{"Python exception", "Traceback (most recent call last):", Error, "", "Traceback (most recent call last):", ""},
	{"Java exception", "java.lang.IllegalStateException: closed", Error, "", "java.lang.IllegalStateException: closed", ""},
	{"Rust panic", "thread 'main' panicked at src/main.rs:4:5:", Error, "", "thread 'main' panicked at src/main.rs:4:5:", ""},
	{"pairs that break off", `level=info msg=hello world`, Info, "", "msg=hello world", ""},
	{"JSON that breaks off", `{"level":"error","msg":"hello`, Error, "", `{"level":"error","msg":"hello`, ""},
	{"empty", "", None, "", "", ""},
}

func TestFormats(t *testing.T) {
	var l Line
	for _, c := range formats {
		l.Parse(c.text)
		if level := LevelOf(c.text); l.Level != c.level || level != c.level {
			t.Errorf("%s: the level is %s, of the line %s, want %s", c.name, level, l.Level, c.level)
		}
		if got := l.Time.Of(c.text); got != c.time {
			t.Errorf("%s: the time is %q, want %q", c.name, got, c.time)
		}
		if got := l.Text(c.text); got != c.message {
			t.Errorf("%s: the message is %q, want %q", c.name, got, c.message)
		}
		if got := fieldsOf(&l, c.text); got != c.fields {
			t.Errorf("%s: the fields are %q, want %q", c.name, got, c.fields)
		}
	}
}

func fieldsOf(l *Line, text string) string {
	var all []string
	for _, f := range l.Fields {
		all = append(all, f.NameOf(text)+"="+f.Text(text))
	}
	return strings.Join(all, " ")
}

// TestLookup finds fields by their names, also within others.
func TestLookup(t *testing.T) {
	const text = `{"msg":"x","user":{"name":"ana","org":{"id":7}},"http.status":500,"note":"a\"b\u00e9\n","list":[1],"userId":9}`
	var l Line
	l.Parse(text)
	for name, want := range map[string]string{
		"user.name": "ana", "USER.Org.ID": "7", "http.status": "500", "note": "a\"bé\n", "list": "[1]", "userid": "9", "user": `{"name":"ana","org":{"id":7}}`,
		"user.none": "", "none": "", "list.0": "", "": "",
	} {
		if got, ok := l.Lookup(text, name); got != want || ok != (want != "") {
			t.Errorf("%s is %q, %t, want %q", name, got, ok, want)
		}
		parsed := false
		if got, ok := new(Line).Find(text, name, &parsed); got != want || ok != (want != "") || parsed {
			t.Errorf("%s is found as %q, %t, want %q", name, got, ok, want)
		}
	}
}

// TestLookupFormats finds the message, the time and other fields of all formats by the same names.
func TestLookupFormats(t *testing.T) {
	for _, c := range []struct{ text, name, want string }{
		{`{"message":"slow","ts":17}`, "msg", "slow"},
		{`{"message":"slow","ts":17}`, "time", "17"},
		{`{"msg":"a","message":"b"}`, "message", "b"},
		{`time=2026-11-22T02:47:17Z level=warn msg="slow query" rows=12`, "msg", "slow query"},
		{`time=2026-11-22T02:47:17Z level=warn msg="slow query" rows=12`, "Message", "slow query"},
		{`ts=2026-11-22T02:47:17Z severity=warn msg=x`, "ts", "2026-11-22T02:47:17Z"},
		{`ts=2026-11-22T02:47:17Z severity=warn msg=x`, "time", "2026-11-22T02:47:17Z"},
		{`ts=2026-11-22T02:47:17Z severity=warn msg=x`, "severity", "warn"},
		{`I1122 02:47:17.123456       1 pod.go:51] "Pod updated" pod="a/b"`, "msg", "Pod updated"},
		{"2026-11-22 02:47:17 ERROR boom", "msg", "boom"},
		{"2026-11-22 02:47:17 ERROR boom", "time", "2026-11-22 02:47:17"},
		{"plain", "msg", "plain"},
		{"plain", "time", ""},
		{`{ctx} saved {"a":1}`, "a", "1"},
		{`{"a":1} and {"b":2}`, "b", "2"},
		{`{"event":"e","msg":"m"}`, "event", "e"},
	} {
		var l Line
		l.Parse(c.text)
		if got, ok := l.Lookup(c.text, c.name); got != c.want || ok != (c.want != "") {
			t.Errorf("%s of %s is %q, %t, want %q", c.name, c.text, got, ok, c.want)
		}
		parsed := false
		if got, ok := new(Line).Find(c.text, c.name, &parsed); got != c.want || ok != (c.want != "") {
			t.Errorf("%s of %s is found as %q, %t, want %q", c.name, c.text, got, ok, c.want)
		}
	}
}

func TestNamed(t *testing.T) {
	for word, want := range map[string]Level{"Error": Error, "ftl": Error, "WARNING": Warn, "notice": Info, "Trace": Debug, "no": None, "information": Info, "infos": None, "informationally": None, "": None} {
		if got := Named(word); got != want {
			t.Errorf("%s is %s, want %s", word, got, want)
		}
	}
}
