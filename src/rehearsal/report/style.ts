// The report's style sheet. Two palettes by the reader's preference, and a third look for paper.

export const reportStyle: string = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#5b6570;--line:#dde2e7;--ground:#fff;--panel:#f6f8fa;--good:#1a7f4b;--bad:#c0362c;
--c1:#2368c4;--c2:#c8641b;--c3:#23866e;--c4:#9a4bb0;--c5:#8a7412;--c6:#c23b72}
@media (prefers-color-scheme:dark){:root{--ink:#e8ebee;--soft:#9aa5b1;--line:#333a42;--ground:#14171a;--panel:#1d2125;--good:#4cc38a;--bad:#ff7b6e;
--c1:#6aa8f7;--c2:#f0954f;--c3:#4fc2a4;--c4:#cd8be0;--c5:#d1b83f;--c6:#f07fae}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1040px;margin:0 auto;padding:32px 20px 64px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px}h2{font-size:18px;margin:40px 0 10px}h3{font-size:14px;margin:0 0 4px}
p{margin:6px 0}.soft{color:var(--soft)}
.verdict{border-left:5px solid var(--good);background:var(--panel);padding:12px 16px;margin:20px 0;font-size:17px}
.verdict.not{border-color:var(--bad)}
table{border-collapse:collapse;width:100%;font-size:14px}th{text-align:left;color:var(--soft);font-weight:600}
th,td{padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
.wide{overflow-x:auto}.pass{color:var(--good);white-space:nowrap}.fail{color:var(--bad);white-space:nowrap}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:6px 24px;margin:0 0 22px}
figure{margin:0}figcaption{color:var(--soft);font-size:13px}svg{width:100%;height:auto;display:block}
.grid{stroke:var(--line)}.tick{fill:var(--soft);font-size:11px}.mark{stroke:var(--soft);stroke-dasharray:2 3}.line{fill:none;stroke-width:1.8;stroke-linejoin:round}
${[1, 2, 3, 4, 5, 6].map((n) => `.line.c${n}{stroke:var(--c${n})}.key.c${n}{background:var(--c${n})}`).join("")}
.legend{font-size:13px;color:var(--soft);display:flex;flex-wrap:wrap;gap:4px 14px}.key{display:inline-block;width:14px;height:3px;vertical-align:middle;margin-right:5px}
ol.time{list-style:none;padding:0;margin:0}ol.time li{display:grid;grid-template-columns:72px 1fr;padding:2px 0}ol.time b{font-weight:600}
time{color:var(--soft);font-variant-numeric:tabular-nums}
pre{background:var(--panel);padding:12px 14px;overflow-x:auto;font-size:13px;line-height:1.45}code{font-family:ui-monospace,monospace}
@media print{main{max-width:none;padding:0}h2{break-after:avoid}figure,table,.verdict{break-inside:avoid}}
`;
