using System.Text;
using System.Text.RegularExpressions;
using Pipeline.Database.Queries.Binding;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Demands;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;
using Pipeline.Indexing.Highlighting;

namespace Pipeline.Database.Queries.Results;

/// <summary>Cuts and marks the texts of results as <c>include highlight(field, length, count)</c> asks.</summary>
internal sealed class Highlights
{
    private readonly QueryContext _context;
    private readonly List<(string Path, QueryField Field, HighlightTerms Terms, HighlightOptions Options)> _fields = [];
    private readonly Dictionary<string, IReadOnlyDictionary<string, IReadOnlyList<string>>> _found = [];
    private readonly TokenBuffer _buffer = new();

    internal Highlights(QueryContext context, Query tree)
    {
        _context = context;
        foreach (CallSyntax call in context.Query.Include.OfType<CallSyntax>().Where(c => c.Name == "highlight"))
        {
            string path = context.Paths.Of(call.Arguments[0], "a field");
            HighlightOptions options = Options(call);
            if (context.Field(call.Arguments[0], path, IndexFieldNames.Search(path)) is not { } field) continue;
            var terms = new HighlightTerms();
            Collect(tree, field.Name, terms);
            _fields.Add((path, field, terms, options));
            _found.TryAdd(path, new Dictionary<string, IReadOnlyList<string>>(StringComparer.OrdinalIgnoreCase));
        }
    }

    /// <summary>By field, then by id.</summary>
    internal IReadOnlyDictionary<string, IReadOnlyDictionary<string, IReadOnlyList<string>>> Found => _found;

    /// <summary>Adds the fragments of one result.</summary>
    internal void Add(string id)
    {
        if (_fields.Count == 0 || _context.Load(id) is not { } document) return;
        foreach ((string path, QueryField field, HighlightTerms terms, HighlightOptions options) in _fields)
        {
            IReadOnlyList<string> fragments = Highlighter.Highlight(
                DocumentTexts.Of(document.Body.Root, path), field.Analyzer ?? Analyzers.LowerCaseKeyword, terms, options, _buffer);
            if (fragments.Count > 0) ((Dictionary<string, IReadOnlyList<string>>)_found[path]).TryAdd(id, fragments);
        }
    }

    private HighlightOptions Options(CallSyntax call)
    {
        int length = _context.Count(call.Arguments[1], 0), count = _context.Count(call.Arguments[2], 0);
        if (length < HighlightOptions.MinFragmentLength) throw _context.Parameter(call.Arguments[1], $"a fragment has at least {HighlightOptions.MinFragmentLength} characters");
        if (count < 1) throw _context.Parameter(call.Arguments[2], "at least one fragment is asked for");
        var json = new JsonOptions(_context, call.Arguments.ElementAtOrDefault(3));
        var options = new HighlightOptions { FragmentLength = length, FragmentCount = count };
        if (json.Texts("PreTags") is { Count: > 0 } before) options = options with { PreTags = before };
        if (json.Texts("PostTags") is { Count: > 0 } after) options = options with { PostTags = after };
        if (json.Text("GroupKey") is not null) throw _context.NotSupported(call.Arguments[3], "highlights by group are not supported");
        json.CheckAllKnown();
        return options;
    }

    /// <summary>What a query looks for in a field; what must not be there is not marked.</summary>
    private static void Collect(Query query, string field, HighlightTerms terms)
    {
        switch (query)
        {
            case BooleanQuery boolean:
                foreach (Query part in boolean.Must.Concat(boolean.Filter).Concat(boolean.Should)) Collect(part, field, terms);
                break;
            case BoostQuery boost:
                Collect(boost.Inner, field, terms);
                break;
            case TermQuery term when term.Field == field:
                terms.AddTerm(term.Term.Span);
                break;
            case InQuery within when within.Field == field:
                foreach (ReadOnlyMemory<byte> term in within.Terms) terms.AddTerm(term.Span);
                break;
            case PhraseQuery phrase when phrase.Field == field:
                terms.AddPhrase([.. phrase.Terms.Select(t => (t.Term, t.Position))], phrase.Slop);
                break;
            case PrefixQuery prefix when prefix.Field == field:
                terms.AddPrefix(prefix.Prefix.Span);
                break;
            case SuffixQuery suffix when suffix.Field == field:
                terms.AddKind(term => term.EndsWith(suffix.Suffix.Span));
                break;
            case WildcardQuery wildcard when wildcard.Field == field:
                var pattern = new Regex(Pattern(wildcard.Pattern), RegexOptions.NonBacktracking | RegexOptions.CultureInvariant);
                terms.AddKind(term => pattern.IsMatch(Encoding.UTF8.GetString(term)));
                break;
        }
    }

    private static string Pattern(string wildcard)
    {
        var pattern = new StringBuilder("^");
        for (int i = 0; i < wildcard.Length; i++)
        {
            if (wildcard[i] is '*' or '?') pattern.Append(wildcard[i] == '*' ? ".*" : ".");
            else pattern.Append(Regex.Escape(wildcard[i] == '\\' && i + 1 < wildcard.Length ? wildcard[++i].ToString() : wildcard[i].ToString()));
        }

        return pattern.Append('$').ToString();
    }
}
