using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.RegularExpressions;

namespace Pipeline.Database.Indexes;

/// <summary>An index as its user wants it: C# maps, perhaps a reduce, and options of fields. Immutable.</summary>
public sealed partial record IndexDefinition
{
    /// <summary>The most characters of a name.</summary>
    public const int MaxNameLength = 256;

    internal static readonly JsonSerializerOptions Json = new()
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Converters = { new JsonStringEnumConverter() },
    };

    /// <summary>
    /// The name, found in any case; <c>/</c> stands between its parts, as in <c>Orders/ByCompany</c>.
    /// </summary>
    public required string Name { get; init; }

    /// <summary>The maps; see "Index definitions" in engine/README.md. An automatic index has none.</summary>
    public IReadOnlyList<string> Maps { get; init; } = [];

    /// <summary>The reduce, if there is one.</summary>
    public string? Reduce { get; init; }

    /// <summary>Options of fields by name.</summary>
    public IReadOnlyDictionary<string, IndexFieldDefinition> Fields { get; init; } =
        new Dictionary<string, IndexFieldDefinition>();

    /// <summary>Whether it may be replaced.</summary>
    public IndexLockMode LockMode { get; init; }

    /// <summary>Its turn among others.</summary>
    public IndexPriority Priority { get; init; } = IndexPriority.Normal;

    /// <summary>The demands for which an automatic index was made; null for an index that a user defined.</summary>
    public AutoIndexDefinition? Auto { get; init; }

    /// <summary>Whether its maps are JavaScript, not C#.</summary>
    [JsonIgnore]
    public bool IsJavaScript => Maps.Count > 0 && JavaScriptBeginning().IsMatch(Maps[0]);

    /// <summary>
    /// Identifies the entries: definitions with equal hashes make the same entries from the same documents. The hash
    /// leaves out options of fields that only queries use (boost and sort form) and data that is kept only for clients:
    /// if only these change, the entries stay.
    /// </summary>
    [JsonIgnore]
    public string Hash =>
        HashOf(
            Fields
                .Select(f => KeyValuePair.Create(f.Key, f.Value.OfEntries))
                .Where(f => f.Value != new IndexFieldDefinition() || Fields.ContainsKey(IndexFieldDefinition.AllFields))
        );

    /// <summary>
    /// Identifies the answers, given the documents: <see cref="Hash"/>, and the options of fields that queries use.
    /// </summary>
    [JsonIgnore]
    public string AnswerHash => HashOf(Fields);

    internal void CheckName()
    {
        if (
            string.IsNullOrWhiteSpace(Name)
            || Name.Length > MaxNameLength
            || Name.Any(char.IsControl)
            || Encoding.UTF8.GetByteCount(Name) > MaxNameLength * 3
        )
        {
            throw new InvalidIndexException(
                Name ?? "",
                $"its name has 1 to {MaxNameLength} characters, none of them a control character",
                []
            );
        }
    }

    private string HashOf(IEnumerable<KeyValuePair<string, IndexFieldDefinition>> fields)
    {
        var text = JsonSerializer.SerializeToUtf8Bytes(
            new
            {
                Maps,
                Reduce,
                Fields = fields.OrderBy(f => f.Key, StringComparer.Ordinal).ToArray(),
                Auto,
            },
            Json
        );
        return Convert.ToHexStringLower(SHA256.HashData(text));
    }

    // A definition in C# begins with `from` or `docs`.
    [GeneratedRegex(
        @"\A(?:\s|//[^\n]*\n|/\*.*?\*/)*(?:map\s*\(|function\b|const\b|let\b|var\b|""use strict""|'use strict')",
        RegexOptions.Singleline | RegexOptions.CultureInvariant
    )]
    private static partial Regex JavaScriptBeginning();
}
