using System.Text;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;

namespace Pipeline.Database.Queries.Binding;

internal sealed partial class QueryBinder
{
    private Query Search(CallSyntax call, int slop, bool isProximity = false)
    {
        var text = context.Text(call.Arguments[1], "what is searched for");
        var isAnd = call.Arguments is [_, _, KeywordSyntax { Name: "and" }];
        if (call.Arguments.Count == 3 && call.Arguments[2] is not KeywordSyntax)
        {
            throw context.Paths.Error(
                call.Arguments[2],
                "the operator of search() is and or or",
                "write search(Text, 'a b', and)"
            );
        }

        if (SearchField(call.Arguments[0]) is not { } field)
            return NoneQuery.Instance;
        if (isProximity)
            return Weigh(field, Words(field, text, slop));
        List<Query> parts = [.. SearchText.Parse(text).Select(p => Part(field, p)).Where(q => q is not NoneQuery)];
        return parts.Count switch
        {
            0 => NoneQuery.Instance,
            1 => Weigh(field, parts[0]),
            _ => Weigh(field, isAnd ? new BooleanQuery { Must = parts } : new BooleanQuery { Should = parts }),
        };
    }

    private static Query Part(QueryField field, SearchPart part) =>
        part.Kind == SearchPartKind.Wildcard ? Wildcard(field, part.Text) : Words(field, part.Text, 0);

    /// <summary>The terms that an analyzer makes from a text, one after the other; may be empty.</summary>
    internal static Query Words(QueryField field, string text, int slop)
    {
        if (field.Analyzer is not { } analyzer)
            return new TermQuery(field.Name, FieldTerms.Whole(field, text));
        var terms = FieldTerms.Analyzed(analyzer, text);
        return terms.Count switch
        {
            0 => NoneQuery.Instance,
            1 => new TermQuery(field.Name, terms[0].Term),
            // Without positions the words can stand anywhere.
            _ => field.Options.Positions
                ? new PhraseQuery(field.Name, terms, slop)
                : new BooleanQuery { Must = [.. terms.Select(t => new TermQuery(field.Name, t.Term))] },
        };
    }

    /// <summary>Terms of a pattern; its pieces are written as the field's analyzer writes terms.</summary>
    internal static Query Wildcard(QueryField field, string pattern)
    {
        var pieces = new List<string>();
        var piece = new StringBuilder();
        var written = new StringBuilder();
        for (var i = 0; i <= pattern.Length; i++)
        {
            var isEnd = i == pattern.Length;
            if (isEnd || pattern[i] is '*' or '?')
            {
                var part = Encoding.UTF8.GetString(FieldTerms.Part(field, piece.ToString()));
                piece.Clear();
                pieces.Add(part);
                written.Append(Escape(part));
                if (!isEnd)
                {
                    written.Append(pattern[i]);
                    pieces.Add(pattern[i].ToString());
                }
            }
            else
            {
                if (pattern[i] == '\\' && i + 1 < pattern.Length)
                    i++;
                piece.Append(pattern[i]);
            }
        }

        return pieces switch
        {
            ["", "*", ""] => new ExistsQuery(field.Name),
            [var prefix, "*", ""] => new PrefixQuery(field.Name, prefix),
            ["", "*", var suffix] => new SuffixQuery(field.Name, suffix),
            _ => new WildcardQuery(field.Name, written.ToString()),
        };
    }

    private static string Escape(string text) =>
        text.Replace(@"\", @"\\", StringComparison.Ordinal)
            .Replace("*", @"\*", StringComparison.Ordinal)
            .Replace("?", @"\?", StringComparison.Ordinal);
}
