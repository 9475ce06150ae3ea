using Microsoft.CodeAnalysis;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting.Compilation;

/// <summary>An index's maps and its reduce: each is an expression that returns a query, in a separate method.</summary>
internal sealed class IndexCompilationUnit : ScriptCompilationUnit
{
    private const string Class = "namespace PipelineScript { public sealed partial class Script {\n";

    private readonly IndexSource _source;
    private readonly MapSyntax?[] _syntax;

    public IndexCompilationUnit(IndexSource source, CancellationToken cancellationToken)
        : base(Wrap(source), cancellationToken)
    {
        _source = source;
        _syntax = new MapSyntax?[Texts.Count];
    }

    /// <summary>Set when it compiles.</summary>
    public IndexShape? Shape { get; private set; }

    protected override bool CastsKeepNull => true;

    protected override bool ReadsOnAfterSyntaxErrors => false;

    private int MapCount => _source.Maps.Count;

    protected override void Structure(List<ScriptError> errors)
    {
        for (var i = 0; i < Texts.Count; i++)
        {
            var text = Texts[i];
            var syntax = new MapSyntax(text, isReduce: i == MapCount, Parsing);
            _syntax[i] = syntax;
            errors.AddRange(syntax.Errors);
        }

        if (errors.Count > 0)
            return;
        for (var i = 0; i < Texts.Count; i++)
        {
            if (_syntax[i]!.Edits.Count > 0)
                Edit(i, _syntax[i]!.Edits);
        }
    }

    protected override void Meaning(List<ScriptError> errors)
    {
        var maps = new List<IndexMap>();
        var outputs = new List<IndexMeaning>();
        for (var i = 0; i < Texts.Count; i++)
        {
            var meaning = new IndexMeaning(Model(i), Texts[i], UserSpan(i), isReduce: i == MapCount);
            meaning.Read(Root(i));
            errors.AddRange(meaning.Errors);
            outputs.Add(meaning);
            if (i < MapCount)
                maps.Add(new IndexMap(Texts[i].Name!, _syntax[i]!.Collections, meaning.LoadedCollections));
        }

        if (errors.Count > 0)
            return;
        if (_source.Reduce is not null)
        {
            var reduce = outputs[^1];
            foreach (var map in outputs.Take(MapCount))
                map.MustMatch(reduce, errors);
            GroupKeys(outputs[0], errors);
        }

        var fields = (_source.Reduce is null ? outputs : [outputs[^1]])
            .SelectMany(o => o.Fields)
            .Distinct(StringComparer.Ordinal)
            .ToList();
        Shape = new IndexShape(
            maps,
            fields,
            [.. outputs.SelectMany(o => o.SpatialFields).Distinct(StringComparer.Ordinal)],
            outputs.Exists(o => o.HasDynamicFields),
            _source.Reduce is null ? [] : _syntax[^1]!.GroupKeys.Select(k => k.Name).ToList(),
            _source.Reduce is null && (MapCount > 1 || _syntax[0]!.FansOut)
        );
    }

    /// <summary>Checks that the outputs of the maps have each member that the key reads.</summary>
    private void GroupKeys(IndexMeaning map, List<ScriptError> errors)
    {
        foreach (var (_, read, span) in _syntax[^1]!.GroupKeys)
        {
            if (read is null || map.Fields.Contains(read, StringComparer.Ordinal))
                continue;
            var near = map
                .Fields.Where(f => ScriptDiagnostics.Distance(f, read) <= Math.Max(1, read.Length / 3))
                .OrderBy(f => ScriptDiagnostics.Distance(f, read))
                .FirstOrDefault();
            errors.Add(
                ScriptDiagnostics.AtUser(
                    Texts[^1],
                    span,
                    "SCRIPT014",
                    $"the maps give no '{read}' to group by",
                    near is null ? $"they give {string.Join(", ", map.Fields)}" : $"did you mean '{near}'?"
                )
            );
        }
    }

    private static List<MappedText> Wrap(IndexSource source)
    {
        var texts = new List<MappedText>();
        for (var i = 0; i < source.Maps.Count; i++)
        {
            texts.Add(
                new MappedText(
                    source.Maps.Count == 1 ? "map" : $"map {i + 1}",
                    Usings
                        + (i == 0 ? Debuggable + Program(source) : Class)
                        + $"private RepeatedQuery Map{i}() => Entries(\n",
                    Trimmed(source.Maps[i]),
                    "\n);}}"
                )
            );
        }

        if (source.Reduce is not null)
        {
            texts.Add(
                new MappedText(
                    "reduce",
                    Usings + Class + "private RepeatedQuery Reduce0() => Entries(\n",
                    Trimmed(source.Reduce),
                    "\n);}}"
                )
            );
        }

        return texts;
    }

    private static string Program(IndexSource source) =>
        "namespace PipelineScript { public sealed partial class Script : IndexProgram { public static IndexProgram Create() => new Script(); "
        + $"protected override IReadOnlyList<RepeatedQuery> BuildMaps() => new RepeatedQuery[] {{ {string.Join(", ", source.Maps.Select((_, i) => $"Map{i}()"))} }}; "
        + (source.Reduce is null ? "" : "protected override RepeatedQuery BuildReduce() => Reduce0();\n");

    /// <summary>A definition is an expression; that it ends in a semicolon does no harm.</summary>
    private static string Trimmed(string text)
    {
        var end = text.AsSpan().TrimEnd().Length;
        return end > 0 && text[end - 1] == ';' ? string.Concat(text.AsSpan(0, end - 1), " ", text.AsSpan(end)) : text;
    }
}
