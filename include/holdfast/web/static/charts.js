// The charts. Data stands in the page as JSON; colours come from the style sheet, so that light and dark have one source.
(() => {
  const style = () => getComputedStyle(document.documentElement);
  const colour = (name) => style().getPropertyValue(name).trim();
  const font = () => getComputedStyle(document.body).fontFamily;
  const time = (seconds) => {
    if (seconds >= 259200) return `${Math.round(seconds / 8640) / 10} d`;
    if (seconds >= 3600) return `${Math.round(seconds / 360) / 10} h`;
    if (seconds >= 120) return `${Math.round(seconds / 6) / 10} min`;
    return `${Math.round(seconds)} s`;
  };
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 432000, 864000];
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const common = () => ({
    animation: !still, animationDuration: 500,
    textStyle: { fontFamily: font(), color: colour("--text") },
    aria: { enabled: false },
  });
  const axis = () => ({
    axisLine: { lineStyle: { color: colour("--line") } }, axisTick: { show: false },
    axisLabel: { color: colour("--quiet"), fontSize: 12 }, nameTextStyle: { color: colour("--quiet"), fontSize: 12 },
    splitLine: { lineStyle: { color: colour("--hair") } },
  });
  const tip = () => ({
    renderMode: "richText", confine: true, backgroundColor: colour("--raised"), borderColor: colour("--line"),
    textStyle: { color: colour("--text"), fontFamily: font(), fontSize: 13 },
  });

  const timeline = (data) => {
    const end = Math.max(data.end, 1) * 1.06;
    const interval = steps.find((one) => end / one <= 8) || end / 6;
    const timed = data.unit === "time";
    const series = data.lines.flatMap((line, at) => {
      const baseline = at > 0;
      const shade = colour(baseline ? "--warn" : "--accent");
      const points = line.points.map((point) => ({ value: [point[0], point[1]], raw: point }));
      const last = line.points[line.points.length - 1];
      const many = line.points.length > 24;
      return [{
        name: line.name, type: "line", step: "end", data: [{ value: [0, 0], symbolSize: 0.01 }, ...points, { value: [end, last[1]], symbolSize: 0.01 }],
        symbol: "circle", symbolSize: many ? 4 : 9, lineStyle: { width: 2.5, color: shade, type: many || !baseline ? "solid" : [6, 4] },
        itemStyle: { color: shade, borderColor: colour("--surface"), borderWidth: many ? 0 : 2 },
        areaStyle: { color: shade, opacity: 0.08 }, z: baseline ? 3 : 4,
        endLabel: { show: true, formatter: () => `${last[1]}`, color: shade, fontWeight: 700, distance: 6 },
      }, {
        name: data.risk, type: "scatter", symbol: "diamond", symbolSize: 15, z: 6,
        itemStyle: { color: colour("--bad"), borderColor: colour("--surface"), borderWidth: 2 },
        data: line.points.filter((point) => point[4]).map((point) => ({ value: [point[0], point[1]], raw: point })),
      }];
    });
    return {
      ...common(),
      legend: { top: 0, left: 0, icon: "circle", itemWidth: 10, itemHeight: 10, textStyle: { color: colour("--text"), fontSize: 13 },
        data: [...new Set(series.filter((one) => one.type === "line" || one.data.length).map((one) => one.name))] },
      grid: { left: 8, right: 46, top: 64, bottom: 6, containLabel: true },
      tooltip: { ...tip(), trigger: "item", formatter: (on) => {
        const raw = on.data.raw;
        if (!raw) return "";
        const when = timed ? `after ${time(raw[0])}` : `${data.unit} ${raw[0]}`;
        return [on.seriesName, `${when}: ${raw[2]} handed over, ${raw[1]} so far`, raw[3], raw[4]].filter(Boolean).join("\n");
      } },
      xAxis: { type: "value", min: 0, max: end, interval, ...axis(), splitLine: { show: false }, axisLabel: { ...axis().axisLabel, formatter: timed ? time : (at) => (Number.isInteger(at) && at ? `${data.unit} ${at}` : ""), hideOverlap: true, showMaxLabel: false } },
      yAxis: { type: "value", min: 0, max: data.total || null, minInterval: 1, name: data.total ? `of ${data.total} ${data.things}` : data.things, nameLocation: "end", nameGap: 14, ...axis(), nameTextStyle: { color: colour("--quiet"), align: "left" } },
      series,
    };
  };

  // Rank change of each thing: points on the middle line stay, a parallel line is a shift, a cloud a reshuffle.
  const hops = (data) => {
    const squeezed = (places) => Math.sign(places) * Math.log2(1 + Math.abs(places));
    const released = (value) => Math.sign(value) * Math.round(2 ** Math.abs(value) - 1);
    const far = (ranks) => (ranks === 0 ? "stays" : Math.abs(ranks) === 1 ? `to the ${ranks > 0 ? "next" : "previous"} ${data.owner}` : `by ${ranks > 0 ? "+" : "−"}${Math.abs(ranks)} ranks`);
    const reach = Math.max(2, Math.ceil(squeezed(data.reach)));
    const kinds = [["stays", "--stays"], [`moves: its ${data.owner} leaves`, "--leaves"], [`collateral: its ${data.owner} stays`, "--collateral"]];
    const most = Math.max(1, ...data.dots.map((dot) => dot[2]));
    const few = data.places <= 60;
    return {
      ...common(), animation: false,
      grid: { left: 8, right: 16, top: 30, bottom: 26, containLabel: true },
      tooltip: { ...tip(), formatter: (on) => `${data.names[on.value[0] - 1] || ""}\n${on.value[2]} ${data.thing}${on.value[2] === 1 ? "" : "s"}: ${on.seriesName}${on.value[3] ? `, ${far(on.value[3])}` : ""}` },
      xAxis: { type: "value", min: few ? 0 : 1, max: data.places + (few ? 1 : 0), interval: data.places <= 20 ? 1 : Math.ceil(data.places / 5), name: `rank of the current ${data.owner}`, nameLocation: "middle", nameGap: 26, ...axis(), splitLine: { show: false },
        axisLabel: { ...axis().axisLabel, hideOverlap: true, formatter: (at) => (at < 1 || at > data.places ? "" : at) } },
      yAxis: { type: "value", min: -reach, max: reach, interval: reach > 6 ? 2 : 1, name: "rank change", nameLocation: "end", nameGap: 12, ...axis(), nameTextStyle: { color: colour("--quiet"), align: "left" },
        axisLabel: { ...axis().axisLabel, formatter: (at) => (at ? `${at > 0 ? "+" : "−"}${Math.abs(released(at))}` : "stays") } },
      series: kinds.map(([name, shade], kind) => ({
        name, type: "scatter", symbol: few ? "circle" : "rect", z: kind + 2, large: data.dots.length > 6000,
        symbolSize: few ? (value) => 7 + 11 * Math.sqrt(value[2] / most) : [3, 5],
        itemStyle: { color: colour(shade), borderColor: colour("--surface"), borderWidth: few ? 1 : 0 },
        data: data.dots.filter((dot) => dot[3] === kind).map((dot) => [dot[0], squeezed(dot[1]), dot[2], dot[1]]),
        markLine: kind ? undefined : { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: colour("--line"), type: "solid", width: 1 }, data: [{ yAxis: 0 }] },
      })),
    };
  };

  const kinds = { timeline, hops };
  const charts = [];
  const draw = (event) => {
    for (const one of charts) one.chart.setOption({ ...kinds[one.kind](one.data), ...(event ? { animation: false } : {}) }, true);
  };
  const start = () => {
    for (const place of document.querySelectorAll("[data-chart]")) {
      const chart = echarts.init(place, null, { renderer: "canvas", devicePixelRatio: Math.max(2, window.devicePixelRatio) });
      charts.push({ chart, kind: place.dataset.chart, data: JSON.parse(document.getElementById(place.dataset.from).textContent) });
      new ResizeObserver(() => chart.resize()).observe(place);
    }
    draw();
    document.documentElement.dataset.charts = String(charts.length);
  };
  start();
  document.documentElement.addEventListener("holdfast-theme", draw);
})();
