using System.Text;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;
using Pipeline.Indexing.Suggestions;
using Pipeline.Json;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Binding;

/// <summary>
/// <c>moreLikeThis(id() = 'films/1', options)</c>: searches other documents for the most significant terms of a
/// document.
/// </summary>
internal sealed class SimilarDocuments(QueryContext context, QueryBinder binder)
{
    /// <summary>
    /// The query for documents like one; null if the document does not exist or has no significant terms.
    /// </summary>
    internal Query Of(CallSyntax call)
    {
        if (context.Query.From.Kind != FromKind.Index)
        {
            throw context.Paths.Error(
                call,
                "moreLikeThis() compares the searched fields of an index",
                "name one: from index 'Films/Text' where moreLikeThis(…)"
            );
        }

        var options = Options(call.Arguments.ElementAtOrDefault(1));
        (var texts, var id) = Example(call.Arguments[0]);
        var similar = new MoreLikeThis(
            options with
            {
                Fields = options.Fields is { } names ? [.. names.Select(n => context.Field(call, n)?.Name ?? n)] : null,
            }
        );
        foreach (var stored in context.Index.Reader.Fields)
        {
            if (!context.Index.TryGetField(stored.Name, out var field) || field.Analyzer is not { } analyzer)
                continue;
            foreach (var text in DocumentTexts.Of(texts, field.Name))
                similar.Add(field.Name, analyzer, Encoding.UTF8.GetBytes(text));
        }

        List<Query> terms =
        [
            .. similar.Pick(context.Index.Reader).Select(t => Weighted(new TermQuery(t.Field, t.Term), t.Weight)),
        ];
        if (terms.Count == 0)
            return NoneQuery.Instance;
        return new BooleanQuery
        {
            Should = terms,
            MinimumShouldMatch = 1,
            MustNot = id is null ? [] : [new TermQuery(IndexFieldNames.DocumentId, FieldTerms.Lower(id))],
        };
    }

    private static Query Weighted(TermQuery term, float weight) => weight == 1 ? term : new BoostQuery(term, weight);

    /// <summary>The document to compare with: the first that a condition finds, or one given as JSON.</summary>
    private (BinaryValue Texts, string? Id) Example(ExpressionSyntax argument)
    {
        if (argument is ParameterSyntax or LiteralSyntax)
        {
            switch (context.Value(argument))
            {
                case BinaryValue given:
                    return (given, null);
                case string text when text.TrimStart().StartsWith('{'):
                    try
                    {
                        return (BinaryJson.Parse(Encoding.UTF8.GetBytes(text)).Root, null);
                    }
                    catch (JsonFormatException error)
                    {
                        throw context.Parameter(argument, $"the document is a JSON object: {error.Reason}");
                    }

                case string id:
                    return Read(id);
                default:
                    throw context.Parameter(argument, "a document's id or a JSON object is expected");
            }
        }

        if (
            argument is ComparisonSyntax { Operator: ComparisonOperator.Equal } comparison
            && context.Paths.IsId(comparison.Left)
        )
        {
            return Read(context.Text(comparison.Right, "an id"));
        }

        var found = new Searcher(context.Index.Reader).Search(
            binder.Condition(argument),
            [],
            0,
            1,
            context.Search,
            context.CancellationToken
        );
        return found.Hits is [var hit, ..] && context.Index.Reader.TryGetEntry(hit.Entry, out var documentId, out _)
            ? Read(Encoding.UTF8.GetString(documentId))
            : default;
    }

    private (BinaryValue, string?) Read(string id) =>
        context.Load(id) is { } document ? (document.Body.Root, document.Id) : default;

    private MoreLikeThisOptions Options(ExpressionSyntax? argument)
    {
        var json = new JsonOptions(context, argument);
        var defaults = new MoreLikeThisOptions();
        var options = new MoreLikeThisOptions
        {
            MinimumTermFrequency = json.Count("MinimumTermFrequency") ?? defaults.MinimumTermFrequency,
            MaximumQueryTerms = Math.Max(1, json.Count("MaximumQueryTerms") ?? defaults.MaximumQueryTerms),
            MaximumNumberOfTokensParsed =
                json.Count("MaximumNumberOfTokensParsed") ?? defaults.MaximumNumberOfTokensParsed,
            MinimumWordLength = json.Count("MinimumWordLength") ?? defaults.MinimumWordLength,
            MaximumWordLength = json.Count("MaximumWordLength") ?? defaults.MaximumWordLength,
            MinimumDocumentFrequency = json.Count("MinimumDocumentFrequency") ?? defaults.MinimumDocumentFrequency,
            MaximumDocumentFrequency = json.Count("MaximumDocumentFrequency") ?? defaults.MaximumDocumentFrequency,
            MaximumDocumentFrequencyPercentage = json.Count("MaximumDocumentFrequencyPercentage"),
            Boost = json.Flag("Boost") ?? defaults.Boost,
            BoostFactor = (float)(json.Number("BoostFactor") ?? defaults.BoostFactor),
            Fields = json.Texts("Fields"),
            StopWords = json.Text("StopWordsDocumentId") is { } id ? Stop(argument!, id) : null,
        };
        json.CheckAllKnown();
        return options;
    }

    private StopWords Stop(ExpressionSyntax at, string id)
    {
        var document = context.Load(id) ?? throw context.Parameter(at, $"there is no document '{id}' with stop words");
        var words = new List<string>();
        foreach (var word in document.Body.Root["StopWords"].EnumerateArray())
        {
            if (word.GetString() is { } text)
                words.Add(text);
        }

        return new StopWords([.. words]);
    }
}
