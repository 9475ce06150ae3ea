using System.Diagnostics.CodeAnalysis;
using Pipeline.Client;

namespace Pipeline.Etl.Transforms;

/// <summary>The transforms that are classes of the program. Filled once, then thread-safe.</summary>
/// <param name="options">
/// How the classes of documents and messages become JSON; the default is that of <see cref="IDocumentStore"/>.
/// </param>
public sealed class TransformCatalog(DocumentStoreOptions? options = null)
{
    private readonly TransformClasses _classes = new(options ?? new DocumentStoreOptions());
    private readonly Dictionary<string, ClassTransform> _transforms = new(StringComparer.Ordinal);

    /// <summary>The names, as tasks write them.</summary>
    public IReadOnlyCollection<string> Names => _transforms.Keys;

    /// <summary>Adds a transform.</summary>
    /// <typeparam name="TTransform">A class that implements <see cref="IEtlTransform{T}"/>.</typeparam>
    /// <param name="name">The name that tasks use; the class's name where <see langword="null"/>.</param>
    /// <exception cref="ArgumentException">The class is not a transform, or the name is taken.</exception>
    public TransformCatalog Add<TTransform>(string? name = null)
        where TTransform : class, new() => Add(new TTransform(), name);

    /// <summary>Adds a transform that was made already.</summary>
    /// <param name="transform">An object whose class implements <see cref="IEtlTransform{T}"/>.</param>
    /// <param name="name">The name that tasks use; the class's name where <see langword="null"/>.</param>
    /// <exception cref="ArgumentException">The class is not a transform, or the name is taken.</exception>
    public TransformCatalog Add(object transform, string? name = null)
    {
        ArgumentNullException.ThrowIfNull(transform);
        var script = new ClassTransform(transform, _classes);
        name ??= transform.GetType().Name;
        if (!_transforms.TryAdd(name, script))
        {
            throw new ArgumentException(
                $"There is a transform '{name}' already, {_transforms[name].Source}; name one of them.",
                nameof(name)
            );
        }

        return this;
    }

    internal bool TryFind(string name, [NotNullWhen(true)] out ClassTransform? transform) =>
        _transforms.TryGetValue(name, out transform);

    /// <summary>The closed forms of <see cref="IEtlTransform{T}"/> that a class implements.</summary>
    internal static Type[] DocumentsOf(
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.Interfaces)] Type type
    ) =>
        [
            .. type.GetInterfaces()
                .Where(i => i.IsGenericType && i.GetGenericTypeDefinition() == typeof(IEtlTransform<>))
                .Select(i => i.GetGenericArguments()[0]),
        ];
}
