using System.Collections.Concurrent;
using System.Globalization;
using System.Reflection;
using Pipeline.Client;
using Pipeline.Client.Conventions;
using Pipeline.Scripting;

namespace Pipeline.Etl.Transforms;

/// <summary>A transform that is a class of the program. Thread-safe if the class is.</summary>
internal sealed class ClassTransform : TransformScript
{
    private readonly Dictionary<string, Runner> _byCollection;
    private readonly Runner? _only;

    /// <summary>Wraps an object.</summary>
    /// <exception cref="ArgumentException">Its class is not a transform.</exception>
    public ClassTransform(object transform, TransformClasses classes)
        : base(transform.GetType().FullName!)
    {
        var type = transform.GetType();
        var documents = TransformCatalog.DocumentsOf(type);
        if (documents.Length == 0)
        {
            throw new ArgumentException(
                $"{type.Name} is not a transform: it must implement IEtlTransform<T> for the class of its documents.",
                nameof(transform)
            );
        }

        _byCollection = new Dictionary<string, Runner>(StringComparer.OrdinalIgnoreCase);
        foreach (var document in documents)
            _byCollection.Add(classes.ModelOf(document).Collection, NewRun(document, transform, classes));
        _only = documents.Length == 1 ? _byCollection.Values.Single() : null;
        Version = $"{Source} {type.Module.ModuleVersionId}";
    }

    private delegate void Runner(ScriptContext context, CancellationToken cancellationToken);

    /// <summary>Differs between two builds of the class.</summary>
    public string Version { get; }

    protected override void Execute(ScriptContext context, CancellationToken cancellationToken)
    {
        var collection = context.Document.Collection;
        var run =
            _only
            ?? _byCollection.GetValueOrDefault(collection)
            ?? throw new ScriptRuntimeException(
                $"{Source} has no IEtlTransform for documents of '{collection}'; it has one for {string.Join(", ", _byCollection.Keys.Order(StringComparer.Ordinal))}."
            );
        var culture = CultureInfo.CurrentCulture;
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        try
        {
            run(context, cancellationToken);
        }
        catch (Exception e)
            when (e is not (ScriptRuntimeException or OutOfMemoryException)
                && !(e is OperationCanceledException && cancellationToken.IsCancellationRequested)
            )
        {
            throw new ScriptRuntimeException($"{e.GetType().Name}: {e.Message}", inner: e);
        }
        finally
        {
            CultureInfo.CurrentCulture = culture;
        }
    }

    private static Runner NewRun(Type document, object transform, TransformClasses classes) =>
        (Runner)
            typeof(ClassTransform)
                .GetMethod(nameof(NewTypedRun), BindingFlags.NonPublic | BindingFlags.Static)!
                .MakeGenericMethod(document)
                .Invoke(null, [transform, classes])!;

    private static Runner NewTypedRun<T>(IEtlTransform<T> transform, TransformClasses classes)
        where T : class =>
        (context, cancellationToken) =>
            transform.Transform(new EtlChange<T>(context, classes, TransformBuffers.Current, cancellationToken));
}

/// <summary>The conversion between classes and JSON. Thread-safe.</summary>
/// <param name="options">The conventions.</param>
internal sealed class TransformClasses(DocumentStoreOptions options)
{
    private readonly ConcurrentDictionary<Type, DocumentModel> _models = new();

    public DocumentStoreOptions Options { get; } = options;

    public DocumentModel ModelOf(Type type) => _models.GetOrAdd(type, t => DocumentModel.Of(t, Options));

    public static ScriptLimitException OverLimit(string limit, int value) =>
        new(limit, value.ToString(CultureInfo.InvariantCulture));
}
