using System.Diagnostics.CodeAnalysis;
using Pipeline.Client;

namespace Pipeline.Etl.Transforms;

/// <summary>The transforms that are classes of the program. Filled once, then thread-safe.</summary>
/// <param name="options">
/// How classes of documents and messages are serialized; by default as <see cref="IDocumentStore"/> does it.
/// </param>
public sealed class TransformCatalog(DocumentStoreOptions? options = null)
{
    private readonly TransformClasses _classes = new(options ?? new DocumentStoreOptions());
    private readonly Dictionary<string, ClassTransform> _transforms = new(StringComparer.Ordinal);

    /// <summary>The names that tasks use.</summary>
    public IReadOnlyCollection<string> Names => _transforms.Keys;

    /// <summary>Adds a transform.</summary>
    /// <typeparam name="TTransform">A class that implements <see cref="IEtlTransform{T}"/>.</typeparam>
    /// <param name="name">The name that tasks use; by default the class's name.</param>
    /// <exception cref="ArgumentException">The class is not a transform, or the name is taken.</exception>
    public TransformCatalog Add<TTransform>(string? name = null)
        where TTransform : class, new() => Add(new TTransform(), name);

    /// <summary>Adds an existing transform object.</summary>
    /// <param name="transform">An object whose class implements <see cref="IEtlTransform{T}"/>.</param>
    /// <param name="name">The name that tasks use; by default the class's name.</param>
    /// <exception cref="ArgumentException">The class is not a transform, or the name is taken.</exception>
    public TransformCatalog Add(object transform, string? name = null)
    {
        ArgumentNullException.ThrowIfNull(transform);
        var script = new ClassTransform(transform, _classes);
        name ??= transform.GetType().Name;
        if (!_transforms.TryAdd(name, script))
        {
            throw new ArgumentException(
                $"There is already a transform '{name}', {_transforms[name].Source}; give one of them another name.",
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
