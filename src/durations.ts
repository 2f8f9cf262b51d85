import type { Metric, MetricObjectWithValues, MetricValueWithName, Registry } from 'prom-client'

/** What has been measured under one set of labels. */
export type Series = { labels: Record<string, string | number>; counts: number[]; sum: number }

/**
 * A histogram in plain numbers: prom-client's own sorts and joins the labels at each observation, which costs more than
 * all else that is done for a request's metrics. Labels are of closed sets, so the series are few. `buckets` in seconds.
 */
export function durations(registry: Registry, name: string, help: string, buckets: number[]) {
  const all = new Map<string, Series>()
  registry.registerMetric({
    name,
    get: async () => ({
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...all.values()].flatMap((series) => told(name, buckets, series)),
    }),
    reset: () => all.clear(),
  } as unknown as Metric)

  return {
    /** The series of a key; `labels` are asked for at its first use. */
    series(key: string, labels: () => Series['labels']): Series {
      const known = all.get(key)
      if (known) return known
      const made = { labels: labels(), counts: buckets.map(() => 0).concat(0), sum: 0 }
      all.set(key, made)
      return made
    },
    observe(series: Series, seconds: number): void {
      let at = 0
      while (at < buckets.length && seconds > (buckets[at] as number)) at++
      series.counts[at] = (series.counts[at] as number) + 1
      series.sum += seconds
    },
  }
}

/** Buckets are cumulative in the text format of Prometheus. */
function told(
  name: string,
  buckets: number[],
  { labels, counts, sum }: Series,
): MetricObjectWithValues<MetricValueWithName<string>>['values'] {
  let below = 0
  const cumulative = [...buckets, '+Inf'].map((le, at) => {
    below += counts[at] as number
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below }
  })
  return [
    ...cumulative,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: below },
  ]
}
