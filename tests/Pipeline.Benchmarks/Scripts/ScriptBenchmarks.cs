using Pipeline.JavaScript;
using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Benchmarks.Scripts;

/// <summary>
/// Measures transforms on one thread: runs per second of processor time, and bytes that a run allocates.
/// Workloads (default all): `message` sends one message, `loop` adds numbers, `text` joins texts in a loop, `functions`
/// calls built-in functions, `map` is an index map that fans out and `reduce` the map of a map-reduce index. Each runs
/// in JavaScript and in C#. `--seconds N` is the time of each (default 3).
/// </summary>
public static class ScriptBenchmarks
{
    private const string Document = """
        {"Name":"Ann","City":"Oslo","Lines":[{"Product":"tea","Price":4.5,"Quantity":3},{"Product":"milk","Price":1.5,"Quantity":12},{"Product":"bread","Price":3.25,"Quantity":2}],
        "Tags":["north","new","paid","late"],"@metadata":{"@collection":"Orders"}}
        """;

    private static readonly Dictionary<string, (string JavaScript, string CSharp)> Workloads = new()
    {
        ["message"] = (
            "let total = 0; for (const line of this.Lines) total += line.Price * line.Quantity; loadToOut({ Id: id(this), Name: this.Name, Total: total });",
            """double total = 0; foreach (var line in doc.Lines) total += (double)line.Price * (double)line.Quantity; send("Out", new { Id = id, doc.Name, Total = total });"""
        ),
        ["loop"] = (
            "let sum = 0; for (let i = 0; i < 500; i++) { if (i % 3 === 0) sum += i; else sum -= 1; } loadToOut({ Sum: sum });",
            """long sum = 0; for (int i = 0; i < 500; i++) { if (i % 3 == 0) sum += i; else sum -= 1; } send("Out", new { Sum = sum });"""
        ),
        ["text"] = (
            "let text = ''; const name = this.Name; for (let i = 0; i < 200; i++) { text += name; } loadToOut({ Text: text });",
            """string text = ""; string name = doc.Name; for (int i = 0; i < 200; i++) { text += name; } send("Out", new { Text = text });"""
        ),
        ["functions"] = (
            "const tags = this.Tags.map(t => t.toUpperCase()).filter(t => t.length > 3).sort(); loadToOut({ Tags: tags.join(','), Most: Math.max(...this.Lines.map(l => l.Quantity)) });",
            """
            var tags = new List<string>(); foreach (var t in doc.Tags) { string tag = ((string)t).ToUpperInvariant(); if (tag.Length > 3) tags.Add(tag); }
            tags.Sort(); double most = 0; foreach (var l in doc.Lines) most = Math.Max(most, (double)l.Quantity); send("Out", new { Tags = string.Join(",", tags), Most = most });
            """
        ),
    };

    private static readonly Dictionary<string, (IndexSource JavaScript, IndexSource CSharp)> Maps = new()
    {
        ["map"] = (
            new IndexSource([
                "map('Orders', o => o.Lines.map(l => ({ Name: o.Name, City: o.City.toLowerCase(), Product: l.Product, Total: l.Price * l.Quantity, Tags: o.Tags.filter(t => t !== 'late') })))",
            ]),
            new IndexSource([
                "from o in docs.Orders from l in o.Lines select new { o.Name, City = o.City.ToString().ToLower(), l.Product, Total = l.Price * l.Quantity, Tags = o.Tags.Where(t => t != \"late\").Select(t => t) }",
            ])
        ),
        ["reduce"] = (
            new IndexSource(
                [
                    "map('Orders', o => o.Lines.map(l => ({ Product: l.Product, Count: 1, Total: l.Price * l.Quantity })))",
                ],
                "groupBy(r => r.Product).aggregate(g => ({ Product: g.key, Count: g.values.reduce((a, r) => a + r.Count, 0), Total: g.values.reduce((a, r) => a + r.Total, 0) }))"
            ),
            new IndexSource(
                [
                    "from o in docs.Orders from l in o.Lines select new { l.Product, Count = 1, Total = l.Price * l.Quantity }",
                ],
                "from r in results group r by r.Product into g select new { Product = g.Key, Count = g.Sum(x => x.Count), Total = g.Sum(x => x.Total) }"
            )
        ),
    };

    public static Task<int> RunAsync(string[] arguments)
    {
        var seconds = 3.0;
        var chosen = new List<string>();
        for (var i = 0; i < arguments.Length; i++)
        {
            if (
                arguments[i] == "--seconds"
                && i + 1 < arguments.Length
                && double.TryParse(arguments[i + 1], out seconds)
                && seconds > 0
            )
            {
                i++;
            }
            else if (Workloads.ContainsKey(arguments[i]) || Maps.ContainsKey(arguments[i]))
            {
                chosen.Add(arguments[i]);
            }
            else
            {
                throw new BenchmarkException(
                    $"'{arguments[i]}' is not an argument; workloads: {string.Join(' ', Workloads.Keys.Concat(Maps.Keys))}; --seconds N"
                );
            }
        }

        foreach (var name in chosen.Count > 0 ? chosen : [.. Workloads.Keys, .. Maps.Keys])
        {
            if (Maps.TryGetValue(name, out var map))
            {
                MeasureJavaScriptMap(name, map.JavaScript, seconds);
                MeasureMap(name, map.CSharp, seconds);
                continue;
            }

            Measure(name, "javascript", JavaScriptCompiler.CompileTransform(Workloads[name].JavaScript), seconds);
            Measure(name, "csharp", ScriptCompiler.Shared.CompileTransform(Workloads[name].CSharp), seconds);
        }

        return Task.FromResult(0);
    }

    private static void MeasureMap(string workload, IndexSource source, double seconds)
    {
        var script =
            new IndexCompiler().Compile(source).Script ?? throw new BenchmarkException($"{workload} does not compile");
        var output = new Entries();
        var run = new IndexRun(script);
        var document = ScriptDocument.FromJson("orders/1", Document) with { Collection = "Orders" };
        Action once = script.IsMapReduce
            ? () => run.Map(document, (IMapOutput)output)
            : () => run.Map(document, (IIndexOutput)output);
        Measure(workload, "csharp", once, seconds);
        if (output.Count == 0)
            throw new BenchmarkException($"{workload} makes no entry");
    }

    private static void MeasureJavaScriptMap(string workload, IndexSource source, double seconds)
    {
        var compiled = JavaScriptCompiler.CompileIndex(source, []);
        var script =
            compiled.Script ?? throw new BenchmarkException($"{workload}: {string.Join("; ", compiled.Errors)}");
        var output = new Entries();
        var run = script.NewRun(new NoDocuments());
        var document = ScriptDocument.FromJson("orders/1", Document) with { Collection = "Orders" };
        Action once = script.Outline.IsGrouped
            ? () => run.Map(document, (IMapOutput)output, CancellationToken.None)
            : () => run.Map(document, (IIndexOutput)output, CancellationToken.None);
        Measure(workload, "javascript", once, seconds);
        if (output.Count == 0)
            throw new BenchmarkException($"{workload} in JavaScript makes no entry");
    }

    private static void Measure(string workload, string language, Action once, double seconds)
    {
        WarmUp.Run(() => Repeat(once, 2000));
        var (runs, allocated, clock) = (0L, GC.GetAllocatedBytesForCurrentThread(), new Clock());
        while (clock.Seconds < seconds)
        {
            Repeat(once, 100);
            runs += 100;
        }

        Report.Figure(workload, language, "rate", runs / clock.CpuSeconds, "runs/s");
        Report.Figure(
            workload,
            language,
            "allocated",
            (double)(GC.GetAllocatedBytesForCurrentThread() - allocated) / runs,
            "bytes/run"
        );
    }

    private static void Measure(
        string workload,
        string language,
        ScriptCompilation<TransformScript> compiled,
        double seconds
    )
    {
        var script =
            compiled.Script ?? throw new BenchmarkException($"{workload}: {string.Join("; ", compiled.Errors)}");
        var output = new Count();
        var context = new ScriptContext(output) { Document = ScriptDocument.FromJson("orders/1", Document) };
        Measure(workload, language, () => script.Run(context), seconds);
        if (output.Messages == 0)
            throw new BenchmarkException($"{workload} in {language} sends nothing");
    }

    private static void Repeat(Action once, int times)
    {
        for (var i = 0; i < times; i++)
            once();
    }

    private sealed class Count : IScriptOutput
    {
        public long Messages { get; private set; }

        public void Send(in ScriptMessage message) => Messages++;
    }

    private sealed class NoDocuments : IScriptDocuments
    {
        public bool TryLoad(string id, out ScriptDocument document)
        {
            document = default;
            return false;
        }
    }

    private sealed class Entries : IIndexOutput, IMapOutput
    {
        public long Count { get; private set; }

        public void BeginEntry() => Count++;

        public void Mapped(ReadOnlySpan<byte> groupKey, ReadOnlySpan<byte> utf8Json) => Count++;

        public void Null(MapField field) { }

        public void Boolean(MapField field, bool value) { }

        public void Integer(MapField field, long value) { }

        public void Real(MapField field, double value) { }

        public void Text(MapField field, ReadOnlySpan<byte> utf8) { }

        public void Json(MapField field, ReadOnlySpan<byte> utf8) { }

        public void Point(MapField field, double latitude, double longitude) { }

        public void Shape(MapField field, string wkt) { }

        public void Object(ReadOnlySpan<byte> utf8Json) { }

        public void EndEntry() { }
    }
}
