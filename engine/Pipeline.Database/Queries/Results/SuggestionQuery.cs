using System.Text;
using Pipeline.Database.Queries.Binding;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing.Suggestions;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Results;

/// <summary>Answers <c>select suggest(field, word, options)</c> from the terms of an index.</summary>
internal sealed class SuggestionQuery(QueryContext context)
{
    /// <summary>
    /// The most bytes of a word. A comparison takes time in proportion to it, and no term of an index is longer.
    /// </summary>
    internal const int MaxWordBytes = 1024;

    // A term's header and its places in lists.
    private const int TermBytes = 96;

    internal static bool IsSuggestion(QuerySyntax query) =>
        query.Select?.Items is [{ Expression: CallSyntax { Target: null, Name: "suggest" } }, ..];

    /// <summary>
    /// An object for each suggestion of the query: its name, and the terms. Tells how many bytes they hold.
    /// </summary>
    internal IReadOnlyList<QueryItem> Run(Action<long>? onHeld) =>
        [.. context.Query.Select!.Items.Select(i => Suggest(i, onHeld))];

    private QueryItem Suggest(AliasedSyntax item, Action<long>? onHeld)
    {
        if (item.Expression is not CallSyntax { Target: null, Name: "suggest" } call)
            throw context.Paths.Error(item.Expression, "a select with suggest() may contain only suggest()");
        var path = context.Paths.Of(call.Arguments[0], "a field");
        var options = Options(call.Arguments.ElementAtOrDefault(2));
        var words = new List<string>();
        var value = context.Value(call.Arguments[1]);
        foreach (var word in value is List<object?> list ? list : [value])
        {
            words.Add(
                word as string ?? throw context.Parameter(call.Arguments[1], "the word is a text, or a list of texts")
            );
        }

        var found = new List<string>();
        var known = new HashSet<string>(StringComparer.Ordinal);
        if (context.Field(call.Arguments[0], path, IndexFieldNames.Search(path)) is { } field)
        {
            foreach (var word in words)
            {
                context.CancellationToken.ThrowIfCancellationRequested();
                if (Encoding.UTF8.GetByteCount(word) > MaxWordBytes)
                {
                    throw context.Paths.Error(
                        call.Arguments[1],
                        $"a word to suggest terms for has more than {MaxWordBytes} bytes",
                        null,
                        QueryErrorKind.Limit
                    );
                }

                foreach (
                    var suggestion in Suggester.Suggest(
                        context.Index.Reader,
                        field.Name,
                        FieldTerms.Part(field, word),
                        options,
                        context.CancellationToken
                    )
                )
                {
                    if (!known.Add(suggestion.Term))
                        continue;
                    onHeld?.Invoke(TermBytes + (4L * suggestion.Term.Length));
                    found.Add(suggestion.Term);
                }
            }
        }

        var writer = new JsonBodyWriter();
        writer.Raw("{\"Name\":"u8);
        writer.String(item.Alias ?? path);
        writer.Raw(",\"Suggestions\":"u8);
        writer.Value(new ListValue(found.Select(t => (ScriptValue?)t).ToList()));
        writer.Raw("}"u8);
        return new QueryItem(null, writer.Written.ToArray());
    }

    private SuggestionOptions Options(ExpressionSyntax? argument)
    {
        var json = new JsonOptions(context, argument);
        var defaults = new SuggestionOptions();
        var options = new SuggestionOptions
        {
            Accuracy = (float)Math.Clamp(json.Number("Accuracy") ?? defaults.Accuracy, 0, 1),
            PageSize = Math.Clamp(json.Count("PageSize") ?? defaults.PageSize, 1, SuggestionOptions.MaxPageSize),
            Distance = json.Choice<SuggestionDistance>("Distance") ?? defaults.Distance,
            SortMode = json.Choice<SuggestionSortMode>("SortMode") ?? defaults.SortMode,
        };
        json.CheckAllKnown();
        return options;
    }
}
