using Pipeline.Database.Queries.Binding;
using Pipeline.Database.Queries.Catalog;
using Pipeline.Database.Queries.Language.Syntax;
using Pipeline.Indexing;
using Pipeline.Indexing.Analysis;
using Pipeline.Indexing.Highlighting;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Database.Queries.Results;

/// <summary>Cuts and marks the texts of results as <c>include highlight(field, length, count)</c> asks.</summary>
internal sealed class Highlights
{
    // A fragment's header and its places in lists.
    private const int FragmentBytes = 64;

    private readonly QueryContext _context;
    private readonly List<(string Path, QueryField Field, HighlightTerms Terms, HighlightOptions Options)> _fields = [];
    private readonly Dictionary<string, IReadOnlyDictionary<string, IReadOnlyList<string>>> _found = [];
    private readonly TokenBuffer _buffer = new();

    internal Highlights(QueryContext context, Query tree)
    {
        _context = context;
        foreach (var call in context.Query.Include.OfType<CallSyntax>().Where(c => c.Name == "highlight"))
        {
            var path = context.Paths.Of(call.Arguments[0], "a field");
            var options = Options(call);
            if (context.Field(call.Arguments[0], path, IndexFieldNames.Search(path)) is not { } field)
                continue;
            _fields.Add((path, field, HighlightTerms.Of(tree, field.Name), options));
            _found.TryAdd(path, new Dictionary<string, IReadOnlyList<string>>(StringComparer.OrdinalIgnoreCase));
        }
    }

    /// <summary>By field, then by id.</summary>
    internal IReadOnlyDictionary<string, IReadOnlyDictionary<string, IReadOnlyList<string>>> Found => _found;

    /// <summary>Adds the fragments of one result and returns their size in bytes.</summary>
    internal void Add(string id, Action<long>? onHeld)
    {
        if (_fields.Count == 0 || _context.Load(id) is not { } document)
            return;
        foreach ((var path, var field, var terms, var options) in _fields)
        {
            var fragments = Highlighter.Highlight(
                DocumentTexts.Of(document.Body.Root, path),
                field.Analyzer ?? Analyzers.LowerCaseKeyword,
                terms,
                options,
                _buffer
            );
            onHeld?.Invoke(fragments.Sum(f => FragmentBytes + (2L * f.Length)));
            if (fragments.Count > 0)
                ((Dictionary<string, IReadOnlyList<string>>)_found[path]).TryAdd(id, fragments);
        }
    }

    private HighlightOptions Options(CallSyntax call)
    {
        int length = _context.Count(call.Arguments[1], 0),
            count = _context.Count(call.Arguments[2], 0);
        if (length < HighlightOptions.MinFragmentLength)
        {
            throw _context.Parameter(
                call.Arguments[1],
                $"a fragment has at least {HighlightOptions.MinFragmentLength} characters"
            );
        }

        if (count < 1)
            throw _context.Parameter(call.Arguments[2], "at least one fragment is asked for");
        var json = new JsonOptions(_context, call.Arguments.ElementAtOrDefault(3));
        var options = new HighlightOptions { FragmentLength = length, FragmentCount = count };
        if (json.Texts("PreTags") is { Count: > 0 } before)
            options = options with { PreTags = before };
        if (json.Texts("PostTags") is { Count: > 0 } after)
            options = options with { PostTags = after };
        if (json.Text("GroupKey") is not null)
            throw _context.NotSupported(call.Arguments[3], "highlights by group are not supported");
        json.CheckAllKnown();
        return options;
    }
}
