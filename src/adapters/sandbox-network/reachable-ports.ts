const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i)

/**
 * The ports that a run reaches through the gateway without anybody naming them: each is a socket that listens. TCP only.
 */
export const USUAL_PORTS: readonly number[] = [
  // Files, shells, mail, names, the web.
  ...[20, 21, 22, 23, 25, 43, 53, 70, 79, 80, 81, 88, 110, 111, 113, 119, 123, 143, 179, 194, 220],
  ...[389, 443, 444, 445, 465, 500, 514, 515, 543, 544, 548, 554, 563, 587, 591, 593, 631, 636],
  ...[660, 674, 749, 853, 873, 902, 953, 981, 989, 990, 991, 992, 993, 994, 995],
  // Proxies, repositories of source code, brokers of messages.
  ...[1080, 1194, 1414, 1883, 1935, 2022, 2049, 2082, 2083, 2086, 2087, 2095, 2096, 2181, 2222, 2375, 2376],
  ...[2379, 2380, 2424, 2480, 2525, 3128, 3129, 3690, 4001, 4150, 4161, 4222, 4317, 4318, 4369, 4443, 4444],
  ...[5222, 5223, 5269, 5349, 5671, 5672, 6650, 6651, 7000, 7001, 7443, 7999, 8086, 8089, 8125, 8126, 8200],
  ...[8222, 8300, 8301, 8302, 8500, 8501, 8600, 8883, 9418, 9443, 9993, 10_250, 15_671, 15_672, 16_686],
  ...[19_302, 25_672, 30_303, 61_613, 61_614, 61_616, 64_738],
  // Databases and search.
  ...[1433, 1434, 1521, 1522, 1527, 1830, 2483, 2484, 3050, 3306, 3307, 3308, 3309, 4000, 4369, 5000, 5001],
  ...[5030, 5432, 5433, 5434, 5435, 5436, 5439, 5984, 6082, 6343, 6334, 6333, 6379, 6380, 6381, 6382, 6383],
  ...[6432, 6543, 6544, 6984, 7199, 7473, 7474, 7687, 7688, 8091, 8092, 8093, 8094, 8123, 8124, 8182, 8444],
  ...[8529, 8530, 8812, 9030, 9042, 9043, 9142, 9160, 9243, 9343, 9440, 9669, 10_000, 10_001, 10_255, 10_433],
  ...[10_255, 10_350, 11_207, 11_210, 11_211, 11_214, 11_215, 13_306, 15_432, 16_379, 18_091, 19_530, 21_050],
  ...[25_060, 25_061, 26_257, 26_379, 27_015, 28_015, 28_017, 29_015, 33_060, 33_061, 50_000, 50_051, 54_320],
  ...[54_321, 54_322, 54_323, 54_324],
  ...range(27_016, 27_020),
  ...range(9091, 9099),
  ...range(9200, 9210),
  ...range(9300, 9303),
  // Where programs of developers usually listen.
  ...range(3000, 3010),
  ...[3333, 4173, 4200, 4321, 5173, 6006, 8001, 8002, 8003, 8008, 8020, 8069, 8065],
  ...[8000, 8042, 8070, 8161, 8181, 8188, 8333, 8384, 8400, 8443, 8545, 8546, 8787, 8843, 8880, 8888, 8983],
  ...range(8080, 8085),
  ...[8090, 8095, 8096, 8443],
  ...range(9000, 9010),
  ...[
    9080, 9090, 9100, 9411, 9990, 9998, 9999, 10_443, 12_201, 16_443, 18_080, 18_789, 19_999, 32_400, 44_300,
  ],
].filter((port, i, all) => all.indexOf(port) === i)

const MOST_NAMED = 32
/** `host:port` anywhere in a value, as in the address of a database; or a value that is nothing but a number. */
const IN_VALUE = /[\w\])]:(\d{1,5})(?![\d.:@])/g
const PORT_NAME = /(?:^|_)PORT$/i

/** The ports that a program's variables tell of: managed databases are often at ports of their own. */
export function portsOf(env: Readonly<Record<string, string>>): readonly number[] {
  const found = new Set<number>()
  for (const [name, value] of Object.entries(env)) {
    const texts = PORT_NAME.test(name) && /^\d{1,5}$/.test(value) ? [value] : []
    for (const text of [...texts, ...[...value.matchAll(IN_VALUE)].map((match) => match[1] ?? '')]) {
      const port = Number(text)
      if (port > 0 && port < 65_536 && found.size < MOST_NAMED) found.add(port)
    }
  }
  return [...found]
}
