using System.Linq.Expressions;

namespace Pipeline.Client;

/// <summary>
/// Changes documents without loading them. The next save runs the patches in its transaction; a missing document stays
/// missing. If the session has an object of a patched document, that object gets the new values; the save refuses to
/// patch a document whose object has unsaved changes.
/// </summary>
public interface ISessionPatches
{
    /// <summary>Sets a member: <c>Patch("orders/1", (Order o) => o.Total, 12m)</c>.</summary>
    /// <param name="id">The document.</param>
    /// <param name="member">The member.</param>
    /// <param name="value">Its new value.</param>
    /// <exception cref="UnsupportedExpressionException">The lambda names no member that a patch can set.</exception>
    void Patch<T, TValue>(string id, Expression<Func<T, TValue>> member, TValue value)
        where T : class;

    /// <summary>Sets a member of the document of an object that the session knows.</summary>
    /// <exception cref="InvalidOperationException">
    /// The session does not know the object, or the object was never saved.
    /// </exception>
    /// <exception cref="UnsupportedExpressionException">The lambda names no member that a patch can set.</exception>
    void Patch<T, TValue>(T entity, Expression<Func<T, TValue>> member, TValue value)
        where T : class;

    /// <summary>
    /// Changes a list: <c>Patch("orders/1", (Order o) => o.Lines, lines => lines.Add(line))</c>. A missing list counts
    /// as empty.
    /// </summary>
    /// <param name="id">The document.</param>
    /// <param name="list">The list.</param>
    /// <param name="change">Adds and removes elements.</param>
    /// <exception cref="UnsupportedExpressionException">The lambda names no member that a patch can set.</exception>
    void Patch<T, TItem>(string id, Expression<Func<T, IEnumerable<TItem>?>> list, Action<ListPatch<TItem>> change)
        where T : class;

    /// <summary>Changes a list of the document of an object that the session knows.</summary>
    /// <exception cref="InvalidOperationException">
    /// The session does not know the object, or the object was never saved.
    /// </exception>
    /// <exception cref="UnsupportedExpressionException">The lambda names no member that a patch can set.</exception>
    void Patch<T, TItem>(T entity, Expression<Func<T, IEnumerable<TItem>?>> list, Action<ListPatch<TItem>> change)
        where T : class;

    /// <summary>
    /// Runs a script in JavaScript: <c>Patch("orders/1", "this.Total += args.more", new { more = 3 })</c>.
    /// </summary>
    /// <param name="id">The document, <c>this</c> in the script.</param>
    /// <param name="script">
    /// The script. It can also load, put and delete other documents; the session's objects of those do not change.
    /// </param>
    /// <param name="parameters">
    /// An object whose members are those of <c>args</c>. A program without reflection for JSON gives a
    /// <see cref="System.Text.Json.Nodes.JsonObject"/> or an
    /// <see cref="IReadOnlyDictionary{TKey, TValue}"/> with texts as keys.
    /// </param>
    void Patch(string id, string script, object? parameters = null);

    /// <summary>Adds to a number. A missing number counts as 0. The sum is computed in double precision.</summary>
    /// <param name="id">The document.</param>
    /// <param name="member">The number.</param>
    /// <param name="by">What is added.</param>
    /// <exception cref="UnsupportedExpressionException">The lambda names no member that a patch can set.</exception>
    void Increment<T, TNumber>(string id, Expression<Func<T, TNumber>> member, TNumber by)
        where T : class;

    /// <summary>Adds to a number of the document of an object that the session knows.</summary>
    /// <exception cref="InvalidOperationException">
    /// The session does not know the object, or the object was never saved.
    /// </exception>
    /// <exception cref="UnsupportedExpressionException">The lambda names no member that a patch can set.</exception>
    void Increment<T, TNumber>(T entity, Expression<Func<T, TNumber>> member, TNumber by)
        where T : class;
}
