using System.Linq.Expressions;
using Pipeline.Client.Advanced;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Sessions;

internal sealed partial class DocumentSession
{
    public void Patch<T, TValue>(string id, Expression<Func<T, TValue>> member, TValue value)
        where T : class => Change<T>(id, member, (patch, path) => patch.Add($"{path} = {patch.Argument(value)}"));

    public void Patch<T, TValue>(T entity, Expression<Func<T, TValue>> member, TValue value)
        where T : class => Patch(SavedId(entity), member, value);

    public void Patch<T, TItem>(
        string id,
        Expression<Func<T, IEnumerable<TItem>?>> list,
        Action<ListPatch<TItem>> change
    )
        where T : class
    {
        ArgumentNullException.ThrowIfNull(change);
        Change<T>(id, list, (patch, path) => change(new ListPatch<TItem>(patch, path)));
    }

    public void Patch<T, TItem>(
        T entity,
        Expression<Func<T, IEnumerable<TItem>?>> list,
        Action<ListPatch<TItem>> change
    )
        where T : class => Patch(SavedId(entity), list, change);

    public void Patch(string id, string script, object? parameters = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(id);
        ArgumentException.ThrowIfNullOrEmpty(script);
        Add(new ScriptPatch(id, script, MemberPatch.Parameters(parameters, store.Options)));
    }

    public void Increment<T, TNumber>(string id, Expression<Func<T, TNumber>> member, TNumber by)
        where T : class =>
        Change<T>(id, member, (patch, path) => patch.Add($"{path} = ({path} || 0) + {patch.Argument(by)}"));

    public void Increment<T, TNumber>(T entity, Expression<Func<T, TNumber>> member, TNumber by)
        where T : class => Increment(SavedId(entity), member, by);

    private void Change<T>(string id, LambdaExpression member, Action<MemberPatch, string> change)
    {
        ArgumentException.ThrowIfNullOrEmpty(id);
        ArgumentNullException.ThrowIfNull(member);
        var path = MemberPatch.MemberOf(member, store.ModelOf(typeof(T)), store.Options);
        var patch =
            _pending?.Actions is [.., MemberPatch last]
            && string.Equals(last.Id, id, StringComparison.OrdinalIgnoreCase)
                ? last
                : new MemberPatch(id, store.Options);
        patch.Change(p => change(p, path));
        if (_pending?.Actions is not [.., MemberPatch added] || added != patch)
            Add(patch);
    }

    private string SavedId(object entity) =>
        Known(entity) is { IsNew: false, Id: { } id }
            ? id
            : throw new InvalidOperationException(
                "the object was never saved, so there is no document to patch; set its members instead"
            );
}
