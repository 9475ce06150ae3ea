using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Pipeline.Client;

/// <summary>Puts the indexes of a program into a database.</summary>
public static class IndexDeployment
{
    /// <summary>
    /// Creates or changes indexes. An index with the same definition does not change. If the definition differs, a new
    /// version is built while the old one answers queries.
    /// </summary>
    /// <param name="store">The database.</param>
    /// <param name="indexes">The indexes.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="IndexException">The database refuses an index.</exception>
    /// <exception cref="ArgumentException">Two indexes have one name; nothing is changed.</exception>
    /// <exception cref="UnsupportedExpressionException">
    /// An index holds an expression that an index cannot compute; nothing is changed.
    /// </exception>
    [RequiresUnreferencedCode("Reads the members that expressions name.")]
    [RequiresDynamicCode("Evaluates the values that expressions hold.")]
    public static Task DeployIndexesAsync(
        this IDocumentStore store,
        IEnumerable<DocumentIndex> indexes,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(indexes);
        List<DocumentIndex> all = [.. indexes];
        if (all.GroupBy(i => i.Name, StringComparer.OrdinalIgnoreCase).FirstOrDefault(g => g.Count() > 1) is { } same)
        {
            throw new ArgumentException(
                $"Two indexes have the name '{same.Key}': {string.Join(" and ", same.Select(i => i.GetType().FullName))}; override Name in one of them.",
                nameof(indexes)
            );
        }

        return store.PutIndexesAsync([.. all.Select(i => i.ToText(store.Options))], cancellationToken);
    }

    /// <summary>
    /// Creates or changes all indexes that an assembly declares: each class with a constructor without parameters.
    /// </summary>
    /// <inheritdoc cref="DeployIndexesAsync(IDocumentStore, IEnumerable{DocumentIndex}, CancellationToken)"/>
    /// <param name="store">The database.</param>
    /// <param name="assembly">The assembly.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    [RequiresUnreferencedCode("Finds classes by reflection.")]
    [RequiresDynamicCode("Evaluates the values that expressions hold.")]
    public static Task DeployIndexesAsync(
        this IDocumentStore store,
        Assembly assembly,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(assembly);
        return store.DeployIndexesAsync(
            assembly
                .GetTypes()
                .Where(t =>
                    !t.IsAbstract
                    && t.IsSubclassOf(typeof(DocumentIndex))
                    && t.GetConstructor(Type.EmptyTypes) is not null
                )
                .Select(t => (DocumentIndex)Activator.CreateInstance(t)!),
            cancellationToken
        );
    }

    /// <summary>
    /// Begins a query of an index that a class declares. Conditions name members of entries; the case of a text counts
    /// in fields with <see cref="TextIndexing.Exact"/>
    /// only. The results of an index without a reduce are documents: add <c>OfType&lt;Order&gt;()</c>.
    /// </summary>
    /// <typeparam name="TEntry">The class of its entries or documents.</typeparam>
    /// <typeparam name="TIndex">The index.</typeparam>
    /// <param name="session">The session.</param>
    [RequiresUnreferencedCode("A query reads the members that its expressions name.")]
    [RequiresDynamicCode("A query compiles what its results are made of.")]
    public static IQueryable<TEntry> Query<TEntry, TIndex>(this IDocumentSession session)
        where TIndex : DocumentIndex, new()
    {
        ArgumentNullException.ThrowIfNull(session);
        return session.Query<TEntry>(new TIndex().Name);
    }
}
