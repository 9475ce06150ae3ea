using System.Diagnostics.CodeAnalysis;
using System.Linq.Expressions;
using Pipeline.Client.Transport;

namespace Pipeline.Client.Queries;

/// <summary>Reads a chain of LINQ's methods into a plan. What has no counterpart is refused by name.</summary>
[RequiresUnreferencedCode("Reads the members that expressions name.")]
[RequiresDynamicCode("Evaluates the values that expressions hold.")]
internal sealed class QueryReader
{
    private readonly QueryPlan _plan;
    private readonly Conditions _conditions;
    private readonly DocumentStoreOptions _options;
    private LambdaExpression? _grouping;

    private QueryReader(QueryPlan plan, DocumentStoreOptions options, string? idName) =>
        (_plan, _options, _conditions) = (plan, options, new Conditions(plan, options, idName));

    /// <summary>Reads a query.</summary>
    /// <param name="expression">The chain.</param>
    /// <param name="documentType">The class of the documents.</param>
    /// <param name="index">The index; null for the class's collection.</param>
    /// <param name="store">The conventions.</param>
    /// <exception cref="UnsupportedExpressionException">A part has no counterpart.</exception>
    public static QueryPlan Read(Expression expression, Type documentType, string? index, ClientContext store)
    {
        var model = store.ModelOf(documentType);
        var plan = new QueryPlan(
            index is not null ? $"index {Rql.Text(index)}" : Rql.Text(model.Collection),
            documentType
        )
        {
            IsOfIndex = index is not null,
        };
        var reader = new QueryReader(plan, store.Options, model.IdName);
        reader.Visit(expression);
        if (plan.Shape is { } shape)
            plan.Selector = RowSelector.Make(shape, plan, reader._conditions);
        return plan;
    }

    private void Visit(Expression expression)
    {
        if (expression is not MethodCallExpression call)
            return;
        Visit(call.Arguments[0]);
        if (
            call.Method.DeclaringType != typeof(Queryable)
            && call.Method.DeclaringType != typeof(DocumentQueryable)
            && call.Method.DeclaringType != typeof(SpatialQueryable)
        )
        {
            throw Unsupported(call, "only LINQ's methods and those of DocumentQueryable can be part of a query");
        }

        switch (call.Method.Name)
        {
            case nameof(Queryable.Where):
                Where(call);
                break;
            case nameof(Queryable.OrderBy):
                NotPaged(call);
                _plan.Orders.Clear();
                Order(call, isDescending: false);
                break;
            case nameof(Queryable.OrderByDescending):
                NotPaged(call);
                _plan.Orders.Clear();
                Order(call, isDescending: true);
                break;
            case nameof(Queryable.ThenBy):
                Order(call, isDescending: false);
                break;
            case nameof(Queryable.ThenByDescending):
                Order(call, isDescending: true);
                break;
            case nameof(Queryable.Skip):
                Skip(Number(call));
                break;
            case nameof(Queryable.Take):
                _plan.Take = (int)Math.Max(0, Math.Min(_plan.Take ?? int.MaxValue, Number(call)));
                break;
            case nameof(Queryable.OfType):
                if (_plan.Shape is not null)
                    throw Unsupported(call, "put OfType before Select");
                _plan.DocumentType = call.Method.GetGenericArguments()[0];
                break;
            case nameof(Queryable.Select):
                Select(call);
                break;
            case nameof(Queryable.Distinct) when call.Arguments.Count == 1:
                if (_plan.Shape is null)
                    throw Unsupported(call, "documents are distinct; select members first");
                NotPaged(call);
                if (!RowSelector.IsPlain(_plan.Shape!, _conditions))
                {
                    throw Unsupported(
                        call,
                        "the database compares the selected members, not values computed from them; select members only"
                    );
                }

                _plan.IsDistinct = true;
                break;
            case nameof(Queryable.GroupBy) when call.Arguments.Count == 2:
                Group(call);
                break;
            case nameof(DocumentQueryable.Search):
                Search(call);
                break;
            case nameof(SpatialQueryable.Spatial):
                NotPaged(call);
                if (_plan.Shape is not null)
                    throw Unsupported(call, "put Spatial before Select");
                _plan.Conditions.Add(new Places(_plan, _options).Condition(call));
                break;
            case nameof(SpatialQueryable.OrderByDistance) or nameof(SpatialQueryable.OrderByDistanceDescending):
                NotPaged(call);
                if (_plan.Shape is not null)
                    throw Unsupported(call, "put it before Select");
                _plan.Orders.Clear();
                _plan.Orders.Add(
                    new Places(_plan, _options).Order(
                        call,
                        call.Method.Name == nameof(SpatialQueryable.OrderByDistanceDescending)
                    )
                );
                break;
            case nameof(DocumentQueryable.Include):
                _plan.Includes.Add(Conditions.Quote(MemberPath.Of(OfDocument(Lambda(call)), _options)));
                break;
            case nameof(DocumentQueryable.WaitForNonStaleResults):
                _plan.Wait = (TimeSpan)((ConstantExpression)call.Arguments[1]).Value!;
                break;
            default:
                throw Unsupported(
                    call,
                    $"{call.Method.Name} has no counterpart; call ToListAsync() first, or use RawQuery"
                );
        }
    }

    private void Where(MethodCallExpression call)
    {
        NotPaged(call);
        Add(_conditions.Of(OfDocument(Lambda(call))));
    }

    private void Add(string condition)
    {
        if (condition == "false")
            _plan.IsEmpty = true;
        else if (condition != "true")
            _plan.Conditions.Add(condition);
    }

    private void Order(MethodCallExpression call, bool isDescending)
    {
        // A member of the result is ordered by its source in the document.
        var key = OfDocument(Lambda(call));
        var (body, parameter) = (key.Body, key.Parameters[0]);
        if (_conditions.FieldOf(body, parameter) is not { } field)
            throw Unsupported(call, "results are ordered by members of the document");
        if (call.Arguments.Count != 2)
            throw Unsupported(call, "the database compares; leave the comparer out");
        if (StoredTypes.FormOf(body.Type, _options) is not { } form)
        {
            throw Unsupported(
                call,
                $"{body.Type.Name} is not stored in its order; order by a number, a text or a time"
            );
        }

        _plan.Orders.Add(field + form + (isDescending ? " desc" : ""));
    }

    private void Skip(long count)
    {
        if (count <= 0)
            return;
        _plan.Skip += count;
        if (_plan.Take is { } take)
            _plan.Take = (int)Math.Max(0, take - count);
    }

    private void Select(MethodCallExpression call)
    {
        var selector = Lambda(call);
        if (selector.Parameters.Count != 1)
            throw Unsupported(call, "results have no number; count them as you read them");
        if (_plan.IsDistinct)
            throw Unsupported(call, "equal results are one before it and not behind it; put Distinct last");
        selector = OfDocument(selector);
        _plan.Shape = _grouping is null && selector.Body == selector.Parameters[0] ? null : selector;
    }

    private void Group(MethodCallExpression call)
    {
        if (_plan.Conditions.Count > 0 || _plan.IsEmpty)
        {
            throw Unsupported(
                call,
                "groups are made of a whole collection; put Where behind GroupBy, where it tests the key or a sum"
            );
        }

        if (_plan.Shape is not null)
            throw Unsupported(call, "put GroupBy before Select and let; the groups can be selected from");
        _grouping = Lambda(call);
        var parameter = _grouping.Parameters[0];
        if (_grouping.Body is NewExpression { Members: { } members } composite)
        {
            for (var i = 0; i < members.Count; i++)
            {
                var field = Conditions.Quote(
                    MemberPath.TryOf(composite.Arguments[i], parameter, _options) is { Length: > 0 } path
                        ? path
                        : throw Unsupported(composite.Arguments[i], "groups are made by members of the document")
                );
                _plan.Groups.Add(field);
                _plan.GroupNames[members[i].Name] = field;
            }
        }
        else
        {
            _plan.Groups.Add(Conditions.Quote(MemberPath.Of(_grouping, _options)));
        }
    }

    private void Search(MethodCallExpression call)
    {
        NotPaged(call);
        if (!Closed.TryEvaluate(call.Arguments[2], out var words) || words is not string text)
            throw Unsupported(call, "the words must be known before the query runs");
        _plan.Conditions.Add(
            $"search({Conditions.Quote(MemberPath.Of(OfDocument(Lambda(call)), _options))}, {_plan.Add(j => j.WriteStringValue(text))})"
        );
    }

    private void NotPaged(MethodCallExpression call)
    {
        if (_plan.Skip > 0 || _plan.Take is not null)
            throw Unsupported(call, $"put {call.Method.Name} before Skip and Take");
    }

    private static long Number(MethodCallExpression call) =>
        Closed.TryEvaluate(call.Arguments[1], out var value) && value is int number
            ? number
            : throw Unsupported(call, "the number must be known before the query runs");

    /// <summary>A lambda of results as one of documents or groups.</summary>
    private LambdaExpression OfDocument(LambdaExpression ofResult) =>
        _plan.Shape is { } selector ? Composition.Of(selector, ofResult) : ofResult;

    private static LambdaExpression Lambda(MethodCallExpression call) =>
        MemberPath.Lambda(call.Arguments[1]) ?? throw Unsupported(call, "it needs a lambda");

    private static UnsupportedExpressionException Unsupported(Expression expression, string reason) =>
        new(
            expression is MethodCallExpression call
                ? $"{call.Method.Name}({string.Join(", ", call.Arguments.Skip(1))})"
                : expression.ToString(),
            reason
        );
}
