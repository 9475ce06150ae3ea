using Pipeline.Database.Queries.Binding;
using Pipeline.Database.Queries.Demands;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Database.Scripts.Runtime;
using Pipeline.Indexing.Suggestions;

namespace Pipeline.Database.Queries.Results;

/// <summary>Answers <c>select suggest(field, word, options)</c> from the terms of an index.</summary>
internal sealed class SuggestionQuery(QueryContext context)
{
    internal static bool IsSuggestion(QuerySyntax query) => query.Select?.Items is [{ Expression: CallSyntax { Target: null, Name: "suggest" } }, ..];

    /// <summary>An object for each suggestion of the query: its name, and the terms.</summary>
    internal IReadOnlyList<QueryItem> Run() => [.. context.Query.Select!.Items.Select(Suggest)];

    private QueryItem Suggest(AliasedSyntax item)
    {
        if (item.Expression is not CallSyntax { Target: null, Name: "suggest" } call) throw context.Paths.Error(item.Expression, "beside suggest() nothing but suggest() is selected");
        string path = context.Paths.Of(call.Arguments[0], "a field");
        SuggestionOptions options = Options(call.Arguments.ElementAtOrDefault(2));
        var words = new List<string>();
        object? value = context.Value(call.Arguments[1]);
        foreach (object? word in value is List<object?> list ? list : [value])
        {
            words.Add(word as string ?? throw context.Parameter(call.Arguments[1], "the word is a text, or a list of texts"));
        }

        var found = new List<string>();
        if (context.Field(call.Arguments[0], path, IndexFieldNames.Search(path)) is { } field)
        {
            foreach (string word in words)
            {
                found.AddRange(Suggester.Suggest(context.Index.Reader, field.Name, FieldTerms.Part(field, word), options, context.CancellationToken).Select(s => s.Term));
            }
        }

        var writer = new JsonBodyWriter();
        writer.Raw("{\"Name\":"u8);
        writer.String(item.Alias ?? path);
        writer.Raw(",\"Suggestions\":"u8);
        writer.Value(new ListValue(found.Distinct(StringComparer.Ordinal).Select(t => (ScriptValue?)t).ToList()));
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
