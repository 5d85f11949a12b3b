import { KubeConfig, CoreV1Api, makeInformer } from "@kubernetes/client-node";

const began = performance.now();
const config = new KubeConfig();
config.loadFromFile(process.argv[1]);
const core = config.makeApiClient(CoreV1Api);

const list = async () => {
  const whole = { items: [] };
  let page;
  do {
    page = await core.listPodForAllNamespaces({ limit: 500, _continue: page?.metadata._continue });
    whole.items.push(...page.items);
  } while (page.metadata._continue);
  return { ...page, items: whole.items };
};
const informer = makeInformer(config, "/api/v1/pods", list);
informer.on("error", (e) => { console.error(e); process.exit(1); });
await informer.start();
const took = performance.now() - began;
gc();
const { heapUsed } = process.memoryUsage();
process.stdout.write(JSON.stringify({ Took: Math.round(took * 1e6), Objects: informer.list().length, Heap: heapUsed }), () => process.exit(0));
