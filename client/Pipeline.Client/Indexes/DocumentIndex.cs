using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;

namespace Pipeline.Client;

/// <summary>
/// An index that a class of the program declares. Derive from <see cref="DocumentIndex{T, TEntry}"/>.
/// </summary>
public abstract class DocumentIndex
{
    private protected DocumentIndex() { }

    /// <summary>
    /// The name; by default that of the class, with <c>/</c> for <c>_</c>: <c>Orders_ByCustomer</c> is
    /// <c>Orders/ByCustomer</c>.
    /// </summary>
    public virtual string Name => GetType().Name.Replace('_', '/');

    /// <summary>The definition as a configuration file would write it.</summary>
    /// <param name="options">How classes become documents; the default where <see langword="null"/>.</param>
    /// <exception cref="UnsupportedExpressionException">
    /// A map or the reduce holds an expression that an index cannot compute.
    /// </exception>
    /// <exception cref="InvalidOperationException">The index has no map.</exception>
    [RequiresUnreferencedCode("Reads the members that expressions name.")]
    [RequiresDynamicCode("Evaluates the values that expressions hold.")]
    public abstract IndexText ToText(DocumentStoreOptions? options = null);
}

/// <summary>
/// An index whose entries have the members of a class. Its maps and its reduce are LINQ expressions, which the database
/// runs for each changed document. They may depend only on the document and on the documents that they load.
/// </summary>
/// <typeparam name="T">The class of the documents.</typeparam>
/// <typeparam name="TEntry">
/// The class of the entries, which queries name. The members of a reduce's entries are its results.
/// </typeparam>
/// <example>
/// <code>
/// public sealed class Orders_ByCustomer : DocumentIndex&lt;Order, CustomerTotal&gt;
/// {
///     public Orders_ByCustomer()
///     {
///         Map = orders => from o in orders select new { o.Customer, Count = 1, o.Total };
///         Reduce = results => from r in results group r by r.Customer into g select new { Customer = g.Key, Count = g.Sum(x => x.Count), Total = g.Sum(x => x.Total) };
///     }
/// }
/// </code>
/// </example>
public abstract class DocumentIndex<T, TEntry> : DocumentIndex
{
    private readonly List<LambdaExpression> _maps = [];
    private readonly List<(Expression<Func<TEntry, object?>> Member, IndexFieldOptions Options)> _fields = [];

    /// <summary>The entries of the documents.</summary>
    protected Expression<Func<IEnumerable<T>, IEnumerable>>? Map { get; init; }

    /// <summary>
    /// Entries of one group made into one, which must have the members that the maps give; <see langword="null"/> for
    /// an index without groups.
    /// </summary>
    protected Expression<Func<IEnumerable<TEntry>, IEnumerable>>? Reduce { get; init; }

    /// <summary>Adds the entries of documents of another class.</summary>
    protected void AddMap<TOther>(Expression<Func<IEnumerable<TOther>, IEnumerable>> map)
    {
        ArgumentNullException.ThrowIfNull(map);
        _maps.Add(map);
    }

    /// <summary>Says how a member is indexed.</summary>
    /// <param name="member">The member.</param>
    /// <param name="options">How.</param>
    protected void Field(Expression<Func<TEntry, object?>> member, IndexFieldOptions options)
    {
        ArgumentNullException.ThrowIfNull(member);
        ArgumentNullException.ThrowIfNull(options);
        _fields.Add((member, options));
    }

    /// <summary>
    /// Within a map: another document. When it changes, the documents that loaded it are indexed again.
    /// </summary>
    /// <param name="id">Its id.</param>
    /// <returns>The document; <see langword="null"/> if there is none in the class's collection.</returns>
    [SuppressMessage("Performance", "CA1822", Justification = "Part of an expression, like the other members.")]
    protected TOther? LoadDocument<TOther>(string? id)
        where TOther : class =>
        throw new InvalidOperationException("LoadDocument is part of a map's expression; the database runs it");

    /// <inheritdoc/>
    [RequiresUnreferencedCode("Reads the members that expressions name.")]
    [RequiresDynamicCode("Evaluates the values that expressions hold.")]
    public override IndexText ToText(DocumentStoreOptions? options = null)
    {
        var writer = new Indexes.IndexWriter(options ?? new DocumentStoreOptions());
        var maps = Map is null ? _maps : [Map, .. _maps];
        if (maps.Count == 0)
        {
            throw new InvalidOperationException(
                $"The index '{Name}' has no map: set Map, or call AddMap, in the constructor of {GetType().Name}."
            );
        }

        return new IndexText(Name, [.. maps.Select(writer.Map)], Reduce is null ? null : writer.Reduce(Reduce))
        {
            Fields = _fields.ToDictionary(f => writer.Field(f.Member), f => f.Options, StringComparer.Ordinal),
        };
    }
}

/// <summary>An index whose entries have members of the documents' own class.</summary>
/// <typeparam name="T">The class of the documents, which queries name.</typeparam>
public abstract class DocumentIndex<T> : DocumentIndex<T, T>;
