using Pipeline.Json;
using Pipeline.Scripting;
using Pipeline.Scripting.Indexes;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Indexes;

/// <summary>Entries of an automatic index of documents: one a document, with the values at its paths.</summary>
internal sealed class AutoMapper : IIndexMapper
{
    private readonly List<Source> _sources = [];

    private AutoMapper(AutoIndexDefinition definition)
    {
        foreach (var target in AutoFields.Of(definition))
        {
            string[] paths =
                !target.IsPlace || target.Source.Spatial is not { } place ? [target.Source.Path]
                : place.WktPath is { } wkt ? [wkt]
                : [place.LatitudePath!, place.LongitudePath!];
            _sources.Add(new Source(target.Field, target.IsPlace, [.. paths.Select(p => new DocumentPath(p))]));
        }

        Outline = new IndexOutline
        {
            Collections = definition.Collection is { } collection ? [collection] : null,
            Fields = [.. _sources.Select(s => s.Field.Name)],
        };
    }

    public IndexOutline Outline { get; }

    public static IIndexMapper Of(AutoIndexDefinition definition) =>
        definition.GroupBy.Count == 0 ? new AutoMapper(definition) : new AutoGroupMapper(definition);

    public IIndexMapRun NewRun(IScriptDocuments documents) => new MapRun(_sources);

    private sealed record Source(MapField Field, bool IsPlace, DocumentPath[] Paths);

    private sealed class MapRun(List<Source> sources) : IIndexMapRun
    {
        public IReadOnlyList<string> LoadedIds => [];

        public void Map(in ScriptDocument document, IIndexOutput output, CancellationToken ct)
        {
            var root = document.Body.Root;
            output.BeginEntry();
            foreach (var source in sources)
            {
                if (source.IsPlace)
                {
                    Place(source, root, output);
                    continue;
                }

                foreach (var value in source.Paths[0].Values(root))
                    AutoFields.Give(source.Field, value, output);
            }

            output.EndEntry();
        }

        public void Map(in ScriptDocument document, IMapOutput output, CancellationToken ct) =>
            throw new NotSupportedException("The index has no groups.");

        public void Reduce(IReadOnlyList<BinaryJson> inputs, IIndexOutput output, CancellationToken ct) =>
            throw new NotSupportedException("The index has no groups.");

        private static void Place(Source source, BinaryValue root, IIndexOutput output)
        {
            var first = source.Paths[0].Values(root);
            if (source.Paths.Length == 1)
            {
                foreach (var wkt in first)
                {
                    if (wkt.TryGetString(out var text))
                        output.Shape(source.Field, text);
                }

                return;
            }

            // Places along an array: the latitude of an element goes with its longitude.
            var second = source.Paths[1].Values(root);
            for (var i = 0; i < Math.Min(first.Count, second.Count); i++)
            {
                if (first[i].TryGetDouble(out var latitude) && second[i].TryGetDouble(out var longitude))
                    output.Point(source.Field, latitude, longitude);
            }
        }
    }
}
