using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Indexes;

/// <summary>Which field of the stored index a map's field is, and how it is indexed. Thread-safe.</summary>
internal sealed class IndexFields(IndexDefinition definition, IndexStore store)
{
    /// <summary>Where values of a field go.</summary>
    /// <param name="Name">The field's name.</param>
    /// <param name="Field">The stored field.</param>
    /// <param name="Stored">Whether its values are stored.</param>
    internal readonly record struct Target(string Name, Pipeline.Indexing.IndexField Field, bool Stored);

    /// <summary>The field with the id of an entry's document.</summary>
    public Pipeline.Indexing.IndexField DocumentId =>
        field ??= store.Field(IndexFieldNames.DocumentId, FieldOptions.Default);

    /// <summary>Checks that the analyzers in a definition exist.</summary>
    /// <exception cref="InvalidIndexException">One is not.</exception>
    public static void Check(IndexDefinition definition)
    {
        foreach ((var field, var options) in definition.Fields)
        {
            try
            {
                if (options.Boost is { } boost && !(float.IsFinite(boost) && boost >= 0))
                {
                    throw new InvalidIndexException(
                        definition.Name,
                        $"field '{field}': a boost is a number from 0",
                        []
                    );
                }

                _ = ToStored(options);
            }
            catch (UnknownAnalyzerException e)
            {
                throw new InvalidIndexException(definition.Name, $"field '{field}': {e.Message}", []);
            }
        }
    }

    public Target Resolve(MapField field)
    {
        var options = OptionsOf(definition, field.Name);
        if (field.Options is { } asked)
        {
            options = options with
            {
                Indexing = asked.Indexing is { } indexing
                    ? Enum.Parse<TermForm>(indexing.ToString())
                    : options.Indexing,
                Stored = asked.Storage is { } storage ? storage == Scripting.Runtime.FieldStorage.Yes : options.Stored,
            };
        }

        if (IndexFieldNames.IsBoost(field.Name))
            options = new IndexFieldDefinition();

        // A field that a map names keeps the form in which it came first.
        var stored = store.TryGetField(field.Name, out var known) ? known : store.Field(field.Name, ToStored(options));
        return new Target(field.Name, stored, options.Stored);
    }

    /// <summary>The options of a field, or those of all fields if it has none.</summary>
    public static IndexFieldDefinition OptionsOf(IndexDefinition definition, string field) =>
        definition.Fields.TryGetValue(field, out var own)
        || definition.Fields.TryGetValue(IndexFieldDefinition.AllFields, out own)
            ? own
            : new IndexFieldDefinition();

    /// <summary>How texts of a field are indexed.</summary>
    private static TermForm IndexingOf(IndexFieldDefinition options) =>
        options.Indexing ?? (options.Analyzer is null ? TermForm.Default : TermForm.Search);

    /// <summary>Options as the stored index knows them.</summary>
    public static FieldOptions ToStored(IndexFieldDefinition options) =>
        new()
        {
            Indexing = IndexingOf(options),
            Analyzer =
                IndexingOf(options) == TermForm.Search && options.Analyzer is { } name ? Analyzers.Get(name) : null,
        };
}
