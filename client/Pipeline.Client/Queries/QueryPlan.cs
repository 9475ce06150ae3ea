using System.Buffers;
using System.Globalization;
using System.Linq.Expressions;
using System.Text;
using System.Text.Json;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Queries;

/// <summary>
/// A query as it was read from an expression: the parts of its text, its parameters, and what makes a result of a row.
/// </summary>
internal sealed class QueryPlan(string from, Type documentType)
{
    private static readonly byte[] NoParameters = "{}"u8.ToArray();
    private static readonly string[] Names =
    [
        .. Enumerable.Range(0, 16).Select(n => string.Create(CultureInfo.InvariantCulture, $"$p{n}")),
    ];
    private readonly List<Action<Utf8JsonWriter>> _parameters = [];

    /// <summary>The class of the documents.</summary>
    public Type DocumentType { get; set; } = documentType;

    /// <summary>A name for the document, if the query needs one.</summary>
    public string? Alias { get; set; }

    /// <summary>
    /// Whether a defined index is queried: it decides for each field whether the case of texts counts.
    /// </summary>
    public bool IsOfIndex { get; init; }

    /// <summary>The conditions, which must all hold.</summary>
    public List<string> Conditions { get; } = [];

    /// <summary>The order of the results.</summary>
    public List<string> Orders { get; } = [];

    /// <summary>The members that documents are grouped by.</summary>
    public List<string> Groups { get; } = [];

    /// <summary>The members of a composite group, by their names in C#.</summary>
    public Dictionary<string, string> GroupNames { get; } = new(StringComparer.Ordinal);

    /// <summary>The paths to included documents.</summary>
    public List<string> Includes { get; } = [];

    /// <summary>The fields of a row, and their types; empty for whole documents.</summary>
    public List<(string Source, Type Type)> Fields { get; } = [];

    /// <summary>The counts by values; empty for results.</summary>
    public List<string> Facets { get; } = [];

    /// <summary>Makes a result of a row; <see langword="null"/> for whole documents.</summary>
    public LambdaExpression? Selector { get; set; }

    /// <summary>The lambda that the selector was made of.</summary>
    public LambdaExpression? Shape { get; set; }

    /// <summary>Whether no document can be a result.</summary>
    public bool IsEmpty { get; set; }

    /// <summary>Whether equal rows are one result.</summary>
    public bool IsDistinct { get; set; }

    /// <summary>How many results are left out.</summary>
    public long Skip { get; set; }

    /// <summary>How many results there may be; <see langword="null"/> for all.</summary>
    public int? Take { get; set; }

    /// <summary>How long it waits for all changes; <see langword="null"/> for the store's wait.</summary>
    public TimeSpan? Wait { get; set; }

    /// <summary>Adds a parameter. Its value is written when the query is sent.</summary>
    /// <returns>Its name in the text.</returns>
    public string Add(Action<Utf8JsonWriter> write)
    {
        _parameters.Add(write);
        return NameOf(_parameters.Count - 1);
    }

    /// <summary>The query.</summary>
    public RqlQuery ToQuery() =>
        new(ToString(), _parameters.Count == 0 ? NoParameters : Parameters())
        {
            Skip = Skip,
            Take = Take ?? int.MaxValue,
            Wait = Wait ?? TimeSpan.Zero,
            WaitsForAll = Wait is not null,
        };

    /// <summary>The text.</summary>
    public override string ToString()
    {
        var text = new StringBuilder("from ").Append(from);
        if (Alias is not null)
            text.Append(" as ").Append(Alias);
        Append(text, " group by ", ", ", Groups);
        Append(text, " where ", " and ", Conditions);
        Append(text, " order by ", ", ", Orders);
        if (Fields.Count > 0)
        {
            text.Append(IsDistinct ? " select distinct " : " select ")
                .AppendJoin(
                    ", ",
                    Fields.Select((f, i) => string.Create(CultureInfo.InvariantCulture, $"{f.Source} as f{i}"))
                );
        }

        Append(text, " select ", ", ", Facets);
        Append(text, " include ", ", ", Includes);
        return text.ToString();
    }

    private ReadOnlyMemory<byte> Parameters()
    {
        var target = new ArrayBufferWriter<byte>();
        using var json = new Utf8JsonWriter(target);
        json.WriteStartObject();
        for (var i = 0; i < _parameters.Count; i++)
        {
            json.WritePropertyName(NameOf(i).AsSpan(1));
            _parameters[i](json);
        }

        json.WriteEndObject();
        json.Flush();
        return target.WrittenMemory;
    }

    /// <summary>A parameter's name in the text.</summary>
    private static string NameOf(int number) =>
        number < Names.Length ? Names[number] : string.Create(CultureInfo.InvariantCulture, $"$p{number}");

    private static void Append(StringBuilder text, string begin, string separator, List<string> parts)
    {
        if (parts.Count > 0)
            text.Append(begin).AppendJoin(separator, parts);
    }

    /// <summary>A query given as text, whose parameters are <c>$p0</c>, <c>$p1</c> and so on.</summary>
    public static RqlQuery QueryOf(string text, IReadOnlyList<object?> parameters)
    {
        var plan = new QueryPlan("", typeof(object));
        foreach (var value in parameters)
            plan.Add(json => Rql.Write(json, value));
        return plan.ToQuery() with { Text = text };
    }
}
